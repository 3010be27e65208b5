package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the proxy's passwords change while it runs, as in docs/install.md. */
@Tag("long")
class RotatedPasswordTest extends FollowingProxy {
    private static final Duration WAIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private RunningProxy running(String configuration) throws Exception {
        Path file = Files.writeString(folder.resolve("understudy.yaml"), configuration);
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(file, plugins.records());
        return RunningProxy.start(reloader.load(), plugins, reloader);
    }

    private String filed() {
        return config(address(old), "").replace("password: " + PASSWORD, "password: \"${file:monitor.password}\"");
    }

    private void password(String password) throws Exception {
        Files.writeString(folder.resolve("monitor.password"), password);
    }

    private static double broken(RunningProxy proxy) {
        return proxy.registry().get("understudy.account.broken").gauges().stream()
                .mapToDouble(gauge -> gauge.value())
                .sum();
    }

    private static boolean reached(RunningProxy proxy) {
        return proxy.registry().get("understudy.standby.up").gauges().stream().allMatch(gauge -> gauge.value() == 1)
                && proxy.proxy().primaryView().get("readOnly") != null;
    }

    @Test
    void aNewPasswordInTheFileIsUsedWithoutARestart() throws Exception {
        password(PASSWORD);
        try (RunningProxy proxy = running(filed())) {
            await().atMost(WAIT).until(() -> reached(proxy));
            old.execute("SET PASSWORD FOR monitor = PASSWORD('the-second')");
            pair.awaitCaughtUp(Duration.ofSeconds(30));
            password("the-second");
            for (var server : List.of(old, promoted)) {
                server.execute("KILL USER monitor");
            }
            await().atMost(WAIT).until(() -> reached(proxy));
            assertThat(proxy.proxy().configuration().pending()).isEmpty();
            // With the old password everything would be refused by now.
            for (var server : List.of(old, promoted)) {
                server.execute("KILL USER monitor");
            }
            await().during(Duration.ofSeconds(7)).atMost(WAIT).until(() -> broken(proxy) == 0);
            assertThat(reached(proxy)).isTrue();
        }
    }

    /** A standby is replaced by another server: until the restart it is the old one that is logged in to. */
    @Test
    void thePasswordOfAnotherStandbyWaitsForItsAddress() throws Exception {
        String before = config(address(old), "");
        Path file = folder.resolve("understudy.yaml");
        try (RunningProxy proxy = running(before)) {
            await().atMost(WAIT).until(() -> reached(proxy));
            int two = before.indexOf("name: two");
            Files.writeString(
                    file,
                    before.substring(0, two)
                            + before.substring(two)
                                    .replace(text(promoted), "127.0.0.1:1")
                                    .replace(PASSWORD, "another"));
            await().atMost(WAIT)
                    .until(() -> proxy.proxy().configuration().pending().stream()
                            .map(change -> change.path())
                            .toList()
                            .equals(List.of("standbys[1].address", "standbys[1].password")));
            promoted.execute("KILL USER monitor");
            await().during(Duration.ofSeconds(7)).atMost(WAIT).until(() -> broken(proxy) == 0);
            assertThat(reached(proxy)).isTrue();
        }
    }

    @Test
    void aReloadThatLacksAFileIsTriedAgainWhenItAppears() throws Exception {
        password(PASSWORD);
        try (RunningProxy proxy = running(filed())) {
            await().atMost(WAIT).until(() -> reached(proxy));
            Files.writeString(folder.resolve("understudy.yaml"), filed().replace("monitor.password", "next.password"));
            await().atMost(WAIT).until(() -> failed(proxy) == 1);
            Files.writeString(folder.resolve("next.password"), PASSWORD);
            await().atMost(WAIT).until(() -> failed(proxy) == 0);
            assertThat(reached(proxy)).isTrue();
        }
    }

    private static double failed(RunningProxy proxy) {
        return proxy.registry()
                .get("understudy.config.last.reload.failed")
                .gauge()
                .value();
    }
}
