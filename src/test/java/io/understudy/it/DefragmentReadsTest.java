package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.defragment.DefragmentCommand;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.runtime.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code understudy defragment} and the proxy that mirrors to the same standby. */
@Timeout(120)
class DefragmentReadsTest {
    @TempDir
    Path folder;

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void readsAreSkippedDuringTheRebuild() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            MirrorServerTest.prepare(pair);
            pair.standby().execute("SET SESSION sql_log_bin = 0", "CREATE USER pages@'%' IDENTIFIED BY 'pages'");
            pair.standby().execute("SET SESSION sql_log_bin = 0", "GRANT ALL ON *.* TO pages@'%'");
            Path file = Files.writeString(folder.resolve("u.yaml"), """
                    listen: { address: "127.0.0.1:0" }
                    primary:
                      address: "127.0.0.1:%d"
                      tls: { mode: disabled }
                      monitor: { user: understudy, password: %s }
                    standbys:
                      - name: s1
                        address: "127.0.0.1:%d"
                        tls: { mode: disabled }
                        user: understudy_mirror
                        password: %s
                    pages: { user: pages, password: pages }
                    admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                    plugins: { mirror: { rules: [ { name: all, sample: 100%% } ] } }
                    """.formatted(
                            pair.primary().port(),
                            MirrorProxy.PASSWORD,
                            pair.standby().port(),
                            MirrorProxy.PASSWORD,
                            freePort()));
            PluginTypes plugins = PluginTypes.installed();
            LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
            try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded)) {
                assertThat(defragment(file))
                        .contains("its reads are not mirrored during the rebuild")
                        .contains("its reads are mirrored again");
            }
            assertThat(defragment(file)).contains("because the proxy does not skip them: no answer from");
        }
    }

    private static String defragment(Path file) {
        StringWriter out = new StringWriter();
        int code = new CommandLine(new DefragmentCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute("-c", file.toString(), "--server", "s1", "--disk-free", "10GiB", "shop.orders");
        assertThat(code).as(out.toString()).isZero();
        return out.toString();
    }
}
