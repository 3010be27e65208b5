package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.FailoverPair.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A {@code failover} to one of two standbys. */
@Tag("long")
@Timeout(180)
class ThirdServerFailoverTest {
    @TempDir
    private Path folder;

    /** Another run may have promoted it, or it may have what no black box has. */
    @Test
    void theOtherStandbyIsAskedBeforeThePromotion() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY");
                EmbeddedServer third = EmbeddedServer.start(ServerOptions.of(3).withArguments("--skip-slave-start"))) {
            third.execute(
                    "RESET MASTER",
                    "CHANGE MASTER 'feed' TO MASTER_HOST='127.0.0.1', MASTER_PORT="
                            + servers.pair.primary().port()
                            + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                    "START SLAVE 'feed'",
                    "SET GLOBAL read_only=1");
            Path file = folder.resolve("failover.yaml");
            String config = Files.readString(file);
            Files.writeString(
                    file,
                    config.replaceFirst(
                            "(  - \\{ name: )s1(, address: \"127.0.0.1:)\\d+(.*\n)", "$0$1s2$2" + third.port() + "$3"));
            servers.cutOff();
            servers.pair.primary().execute("INSERT INTO shop.t VALUES (1, 1, ''), (1, 2, '')");
            third.query("SELECT MASTER_GTID_WAIT('" + servers.pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos")
                    + "', 30)");
            servers.closeProxy();
            servers.pair.primary().kill();
            String admin = config.replaceFirst("(?s).*admin: \\{ address: \"([^\"]+)\".*", "$1");

            Said more = servers.run("failover", "--to", "s1", "--without", admin);
            assertThat(more.status()).as(more.text()).isEqualTo(1);
            assertThat(more.text()).contains("s2 (127.0.0.1:", "has transactions that are not here: 0-1-", "--to s2");

            third.execute("STOP SLAVE 'feed'", "SET GLOBAL read_only=0");
            Said promoted = servers.run("failover", "--to", "s1", "--without", admin);
            assertThat(promoted.status()).as(promoted.text()).isEqualTo(1);
            assertThat(promoted.text()).contains("is writable and does not replicate");
            assertThat(servers.standby().query("SELECT @@GLOBAL.read_only")).isEqualTo("1");

            third.execute("SET GLOBAL read_only=1");
            Said givenUp = servers.run("failover", "--to", "s1", "--without", admin, "--without", "s2");
            assertThat(givenUp.status()).as(givenUp.text()).isEqualTo(4);
            assertThat(givenUp.text())
                    .contains("NOT KNOWN: what only s2 has", "(s2): compare it first")
                    .doesNotContain("CHANGE MASTER");

            // Built anew, with the connection's name that it had.
            third.execute(
                    "RESET SLAVE 'feed'",
                    "RESET MASTER",
                    "SET GLOBAL gtid_slave_pos='" + servers.standby().query("SELECT @@GLOBAL.gtid_slave_pos") + "'");
            assertThat(servers.run("failover", "--to", "s1", "--without", admin).text())
                    .contains(
                            "STOP SLAVE 'feed'",
                            "CHANGE MASTER 'feed' TO MASTER_HOST='127.0.0.1', MASTER_PORT="
                                    + servers.standby().port());
        }
    }
}
