package io.understudy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.handshake.tls.TlsContexts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts that cannot follow a new configuration, or fail as they do. */
class LiveConfigTest {
    private static final String STANDBY =
            "name: a, address: 'a:1', user: u, password: p, tls: { ca: none.pem, mode: verify-ca }";

    private final List<String> events = new ArrayList<>();
    private final LoadedConfig first = config("1s");
    private final LoadedConfig second = config("2s");
    private final LiveConfig live = new LiveConfig(first, Map::of, () -> null, Map::of);

    private static LoadedConfig config(String drain) {
        return text("primary: { address: \"p:1\" }\nlimits: { drainTimeout: " + drain + " }\n");
    }

    private static LoadedConfig text(String text) {
        try {
            return ConfigLoader.load(text, "test.yaml", Map.of(), name -> null);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private void noting(String keys) {
        live.follow(keys, (now, diff) -> {
            events.add(keys + " prepared");
            return left -> events.add(keys + " applied");
        });
    }

    /** Whichever part it is, and every part that cannot is named. */
    @Test
    void whatOnePartCannotFollowNoneDoes() {
        noting("one");
        for (String keys : List.of("listen.tls", "admin.tls")) {
            live.follow(keys, (now, diff) -> {
                TlsContexts.accepting(Path.of(keys + ".pem"), Path.of(keys + ".key"), null, false);
                return left -> events.add(keys + " applied");
            });
        }
        noting("two");
        assertThatThrownBy(() -> live.apply(second))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("listen.tls: ", "listen.tls.pem", "admin.tls: ", "admin.tls.pem");
        assertThat(events).containsExactly("one prepared", "two prepared");
        assertThat(live.current()).isSameAs(first);
    }

    /** They are of a mode, or a server, that takes a restart: which would fail. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "primary.tls      | primary: { address: 'p:1', tls: { mode: verify-ca, ca: none.pem } }",
                "standbys[0].tls  | standbys: [ { STANDBY } ]",
                "listen.tls       | listen: { tls: { mode: optional, certificate: none.pem, key: none.key } }",
                "metrics.otlp.tls | metrics: { otlp: { url: 'https://c:1/v1/metrics', tls: { ca: none.pem } } }"
            })
    void filesThatWaitForARestartMustBeUsable(String section, String lines) {
        String rest = lines.startsWith("primary") ? "" : "primary: { address: 'p:1' }\n";
        String text = lines.replace("STANDBY", STANDBY);
        LoadedConfig next = text(rest + text + "\n");
        assertThatThrownBy(() -> live.apply(next))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(section + ": ", "none.pem");
        assertThat(live.current()).isSameAs(first);
    }

    /** A standby without its certificate is one thing, limits are another. */
    @Test
    void filesThatCouldNotBeUsedBeforeKeepNothingFromFollowing() throws Exception {
        String standby = "standbys: [ { " + STANDBY + " } ]\n";
        LiveConfig broken =
                new LiveConfig(text("primary: { address: 'p:1' }\n" + standby), Map::of, () -> null, Map::of);
        LiveConfig.Outcome outcome =
                broken.apply(text("primary: { address: 'p:1' }\nlimits: { drainTimeout: 3s }\n" + standby));
        assertThat(outcome.changes()).hasSize(1);
        assertThat(outcome.notApplied().failed()).hasSize(1).first().asString().startsWith("standbys[0].tls: ");
    }

    /** Nor does one whose preparation has a fault. */
    @Test
    void aFaultInPreparingChangesNothing() {
        noting("one");
        live.follow("two", (now, diff) -> {
            throw new IllegalStateException("a fault");
        });
        assertThatThrownBy(() -> live.apply(second)).hasMessage("a fault");
        assertThat(events).containsExactly("one prepared");
        assertThat(live.current()).isSameAs(first);
    }

    @Test
    void aPartThatFailsIsNamedAndTheOthersFollow() throws Exception {
        noting("one");
        live.follow("two", now -> {
            throw new NoClassDefFoundError("a/class");
        });
        noting("three");
        LiveConfig.Outcome outcome = live.apply(second);
        assertThat(events).containsExactly("one prepared", "three prepared", "one applied", "three applied");
        assertThat(outcome.notApplied().failed())
                .singleElement()
                .asString()
                .startsWith("two may run by the file before")
                .contains("a/class", "reload again");
        assertThat(live.current()).isSameAs(second);

        // As it is told to be done: the same file, once more.
        events.clear();
        live.apply(second);
        assertThat(events).contains("one applied", "three applied");
    }

    /** A section of a plugin that takes {@code fixed} over after a restart only, and refuses all with it. */
    public record Section(@Nullable Integer fixed, @Nullable Integer free) {}

    private static LoadedConfig section(int fixed, int free) {
        String text =
                "primary: { address: 'p:1' }\nplugins: { sample: { fixed: " + fixed + ", free: " + free + " } }\n";
        try {
            return ConfigLoader.load(text, "test.yaml", Map.of("sample", Section.class), name -> null);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void aKeyThatAPluginRefusedHasNotChangedWhenThatIsUndone() throws Exception {
        AtomicReference<Map<String, Record>> running =
                new AtomicReference<>(section(64, 1).plugins());
        LiveConfig refusing = new LiveConfig(section(64, 1), running::get, () -> null, Map::of);
        refusing.follow("plugins", now -> {
            if (now.plugins().get("sample") instanceof Section wanted && Objects.equals(wanted.fixed(), 64)) {
                running.set(now.plugins());
            }
        });
        assertThat(refusing.apply(section(32, 2)).changes()).isEmpty();
        assertThat(refusing.apply(section(16, 2)).changes()).isEmpty();
        assertThat(refusing.apply(section(64, 2)).changes())
                .containsExactly("plugins.sample.free changed from 1 to 2: takes effect now");
        assertThat(refusing.pending()).isEmpty();

        assertThat(refusing.apply(section(32, 3)).changes()).isEmpty();
        assertThat(refusing.apply(section(64, 4)).changes())
                .containsExactly("plugins.sample.free changed from 2 to 4: takes effect now");
        assertThat(refusing.apply(section(64, 5)).changes())
                .containsExactly("plugins.sample.free changed from 4 to 5: takes effect now");
    }

    @Test
    void aPartThatFailsHasNotChanged() throws Exception {
        live.follow("limits", now -> {
            throw new IllegalStateException("a fault");
        });
        assertThat(live.apply(second).changes()).isEmpty();
    }
}
