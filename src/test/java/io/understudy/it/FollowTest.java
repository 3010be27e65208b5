package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The proxy follows a change of the primary. */
class FollowTest extends FollowingProxy {
    private static final int ER_SERVER_SHUTDOWN = 1053;
    /** Not the goal, which a busy machine misses: {@code report} prints what it took. */
    private static final Duration SOON = Duration.ofSeconds(20);

    private String candidates() {
        return "candidates: [\"" + text(old) + "\", \"" + text(promoted) + "\"]";
    }

    /** Makes the old primary a standby of the new one. */
    private void demote() {
        old.execute(
                "SET GLOBAL read_only=1",
                "SET GLOBAL gtid_slave_pos='" + old.query("SELECT @@gtid_binlog_pos") + "'",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + promoted.port()
                        + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                "START SLAVE");
    }

    @Tag("long")
    @Test
    void aReloadMovesIdleSessionsAtOnceAndTransactionsAtTheirEnd() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(
                        config(address(old), "plugins: { black-box: , mirror: , commit-latency: }"));
                Connection idle = connect(proxy);
                Connection working = connect(proxy);
                Connection stuck = connect(proxy)) {
            await().until(() -> proxy.server().notReady().isEmpty());
            assertThat(standby(proxy, 0)).containsEntry("primary", true);
            await().untilAsserted(() -> assertThat(lost(proxy).text("survivor", "name"))
                    .as("not the primary, which is in the list of standbys")
                    .isEqualTo("two"));
            working.setAutoCommit(false);
            write(working, "begun");
            stuck.setAutoCommit(false);
            write(stuck, "stuck");
            promote();

            proxy.reload(config(address(promoted), "plugins: { black-box: , mirror: , commit-latency: }"));
            Duration took = untilWritten(proxy, promoted, "first");
            report("first write after a reload", took);
            assertThat(took).isLessThan(SOON);
            assertThatThrownBy(() -> write(idle, "idle"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(ER_SERVER_SHUTDOWN));
            write(working, "ended");
            working.commit();
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v IN ('begun', 'ended')"))
                    .isEqualTo("2");
            assertThatThrownBy(() -> write(working, "late")).isInstanceOf(SQLException.class);
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v='stuck'")).isEqualTo("0");

            await().untilAsserted(() -> assertThat(standby(proxy, 1)).containsEntry("primary", true));
            assertThat(standby(proxy, 0)).containsEntry("primary", false);
            assertThat(proxy.server().notReady()).isEmpty();
            assertThat(proxy.count("understudy.primary.changes", "reload")).isEqualTo(1);
            // What was committed on the old primary after the change is lost, and in no binary log that is read.
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                LostView lost = lost(proxy);
                assertThat(lost.text("survivor", "name")).isEqualTo("primary");
                assertThat(lost.text("answeredAndMissing", "notCaptured")).isEqualTo("1");
                assertThat(lost.text("primary", "why")).isEqualTo("the primary has changed");
            });
            // The binary log of the new primary is read.
            int kept = Integer.parseInt(lost(proxy).text("kept", "transactions"));
            try (Connection next = connect(proxy)) {
                write(next, "next");
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Integer.parseInt(lost(proxy).text("kept", "transactions")) > kept);
        }
    }

    @Test
    void anOperatorNamesTheNewPrimary() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            Address standby = Address.parse(text(promoted));
            assertThatThrownBy(() -> proxy.server().choosePrimary(standby, false))
                    .hasMessageContaining("is read-only: promote it first")
                    .hasMessageContaining("force=true");
            assertThatThrownBy(() -> proxy.server().choosePrimary(Address.parse("127.0.0.1:1"), false))
                    .hasMessageContaining("does not respond")
                    .hasMessageContaining("nothing was changed");
            promote();
            assertThat(proxy.server().choosePrimary(Address.parse(text(promoted)), false))
                    .containsEntry("address", text(promoted))
                    .containsEntry("reason", "api");
            report("first write after POST /api/primary", untilWritten(proxy, promoted, "first"));
            assertThat(proxy.count("understudy.primary.changes", "api")).isEqualTo(1);
            // The file has not changed: a reload of it does not undo what the operator chose.
            proxy.reload(config(address(old), ""));
            assertThat(proxy.server().primaryView()).containsEntry("address", text(promoted));
        }
    }

    @Test
    void theWritableCandidateIsFollowedAfterAKill() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            assertThat(untilWritten(proxy, old, "before")).isLessThan(SOON);
            old.kill();
            await().atMost(SOON)
                    .until(() -> proxy.server().notReady().toString().contains("none of the candidates is writable"));
            promote();
            Duration took = untilWritten(proxy, promoted, "after");
            report("first write after a kill, by candidates", took);
            assertThat(took).isLessThan(SOON);
            await().until(() -> proxy.server().notReady().isEmpty());

            old.restart();
            await().atMost(SOON)
                    .until(() -> proxy.server().warnings().toString().contains("split"));
            assertThat(proxy.server().primaryView())
                    .containsEntry("address", text(promoted))
                    .containsEntry("verdict", "split");
            assertThat(proxy.server().notReady()).isEmpty();
            demote();
            await().atMost(SOON).until(() -> proxy.server().warnings().isEmpty());
            assertThat(untilWritten(proxy, promoted, "later")).isLessThan(SOON);
        }
    }

    /** The first candidate is a standby then: what it has replicated is no primary's log. */
    @Test
    void aProxyThatStartsWithoutAPrimaryReadsNone() throws Exception {
        old.execute("INSERT INTO shop.t (v) VALUES ('before')");
        pair.awaitCaughtUp(Duration.ofSeconds(10));
        old.kill();
        String candidates = "candidates: [\"" + text(promoted) + "\", \"" + text(old) + "\"]";
        try (ProxyUnderTest proxy =
                ProxyUnderTest.start(config(candidates, "plugins: { black-box: { poll: 100ms } }"))) {
            await().atMost(SOON)
                    .until(() -> proxy.server().notReady().toString().contains("none of the candidates is writable"));
            LostView none = lost(proxy);
            assertThat(none.text("primary", "read")).isEqualTo("false");
            assertThat(none.all().get("logs")).isEqualTo(List.of());
            promote();
            await().atMost(SOON).untilAsserted(() -> {
                LostView since = lost(proxy);
                assertThat(since.text("survivor", "name")).isEqualTo("primary");
                assertThat(since.text("primary", "read")).isEqualTo("true");
                assertThat(String.valueOf(since.all().get("notKnown"))).contains("began when that was gone");
            });
            assertThat(untilWritten(proxy, promoted, "after")).isLessThan(SOON);
        }
    }

    /** The other one may have been promoted, and this one have come back writable. */
    @Test
    void aProxyThatStartsChoosesNoneBesideOneThatRefusesTheAccount() throws Exception {
        pair.createAccount("watch", PASSWORD, "REPLICA MONITOR ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(10));
        promoted.execute("SET sql_log_bin=0", "ALTER USER monitor ACCOUNT LOCK");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            assertThatThrownBy(() -> connect(proxy))
                    .hasMessageContaining(text(old) + " is writable")
                    .hasMessageContaining(text(promoted) + " is alive, and primary.monitor cannot query it")
                    .hasMessageContaining("POST /api/primary");
            assertThat(proxy.server().notReady().toString()).contains("let primary.monitor query " + text(promoted));
            promoted.execute("SET sql_log_bin=0", "ALTER USER monitor ACCOUNT UNLOCK");
            assertThat(untilWritten(proxy, old, "mended")).isLessThan(SOON);
            await().atMost(SOON).until(() -> proxy.server().notReady().isEmpty());
        }
        promoted.execute("SET sql_log_bin=0", "ALTER USER monitor ACCOUNT LOCK");
        String other = "name: two, address: \"" + text(promoted) + "\", tls: { mode: disabled }, user: ";
        String config = config(candidates(), "").replace(other + "monitor", other + "watch");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config)) {
            assertThat(untilWritten(proxy, old, "by another account")).isLessThan(SOON);
        }
    }

    /** Sends error 1130 to each connection, as a server that lets nobody of this host in. */
    private static void refuse(ServerSocket at) {
        String message = "Host '127.0.0.1' is not allowed to connect to this server";
        byte[] error = ("....\377\152\004" + message).getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(new byte[] {(byte) (error.length - 4), 0, 0, 0}, 0, error, 0, 4);
        Thread thread = new Thread(() -> {
            while (!at.isClosed()) {
                try (Socket client = at.accept()) {
                    client.getOutputStream().write(error);
                } catch (IOException gone) {
                    // The next one may stay.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** While clients are let in elsewhere it would be an outage. */
    @Test
    void oneThatRefusesThisHostIsChosenOnlyWhereNoneIsKnown() throws Exception {
        try (ServerSocket refusing = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            refuse(refusing);
            String text = "127.0.0.1:" + refusing.getLocalPort();
            Address other = Address.parse(text);
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
                assertThatThrownBy(() -> proxy.server().choosePrimary(other, false))
                        .hasMessageContaining(text + " does not respond: ")
                        .hasMessageContaining("nothing was changed");
                assertThat(proxy.server().primaryView()).containsEntry("address", text(old));
            }
            String both = "candidates: [\"" + text(old) + "\", \"" + text + "\"]";
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config(both, ""))) {
                assertThatThrownBy(() -> connect(proxy))
                        .hasMessageContaining(text + " is alive, and primary.monitor cannot query it")
                        .hasMessageContaining("POST /api/primary");
                assertThat(proxy.server().choosePrimary(other, false)).containsEntry("address", text);
            }
        }
    }

    @Tag("long")
    @Test
    void theWritableCandidateIsFollowedInAPlannedChange() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            untilWritten(proxy, old, "before");
            old.execute("SET GLOBAL read_only=1");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            Duration took = untilWritten(proxy, promoted, "after");
            report("first write after a planned change, by candidates", took);
            assertThat(took).isLessThan(SOON);
            assertThat(proxy.count("understudy.primary.changes", "candidate")).isEqualTo(1);
            demote();
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(String.valueOf(standby(proxy, 0).get("state")))
                                    .contains("readOnly=true")
                                    .contains("lagSeconds=0"));
            assertThat(standby(proxy, 0)).containsEntry("primary", false);
            // The first candidate has stood for an address so far, and the file names it now.
            proxy.reload(config(address(old), ""));
            assertThat(proxy.server().primaryView())
                    .containsEntry("address", text(old))
                    .containsEntry("reason", "reload");
        }
    }

    @Tag("long")
    @Test
    void aFrozenPrimaryIsNamedAndLeftForTheWritableCandidate() throws Exception {
        // What is in flight there must not be left to the limit of a drain.
        String config = config(candidates(), "").replace("drainTimeout: 2s", "drainTimeout: 60s");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config);
                RawClient committing = RawClient.open(proxy.address());
                RawClient writing = RawClient.open(proxy.address())) {
            untilWritten(proxy, old, "before");
            committing.login("app", PASSWORD, "shop", RawClient.PLAIN);
            writing.login("app", PASSWORD, "shop", RawClient.PLAIN);
            committing.query("BEGIN");
            assertThat(committing.read().isOk()).isTrue();
            committing.query("INSERT INTO t (v) VALUES ('uncommitted')");
            assertThat(committing.read().isOk()).isTrue();
            old.freeze();
            try {
                committing.query("COMMIT");
                writing.query("INSERT INTO t (v) VALUES ('sent')");
                assertThatThrownBy(() -> connect(proxy)).isInstanceOf(SQLException.class);
                try (RawClient client = RawClient.open(proxy.address())) {
                    assertThat(client.read().errorText())
                            .contains("no response from primary")
                            .contains("frozen");
                }
                await().atMost(SOON).until(() -> !proxy.server().notReady().isEmpty());
                promote();
                Duration took = untilWritten(proxy, promoted, "after");
                report("first write after SIGSTOP, by candidates", took);
                assertThat(took).isLessThan(SOON);
            } finally {
                old.thaw();
            }
            // What the abandoned server executes when it wakes up is no success, nor a failure that 1053 would report.
            assertThatThrownBy(committing::read).isInstanceOf(EOFException.class);
            assertThatThrownBy(writing::read).isInstanceOf(EOFException.class);
        }
    }

    @Tag("long")
    @Test
    void troubleWithTheMonitorsAccountIsAWarning() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            await().until(() -> proxy.server().notReady().isEmpty());
            old.execute("ALTER USER monitor@'%' IDENTIFIED BY 'another'", "FLUSH PRIVILEGES");
            old.execute("KILL USER monitor@'%'");
            await().atMost(SOON)
                    .until(() -> proxy.server().warnings().toString().contains("primary.monitor"));
            assertThat(proxy.server().notReady()).isEmpty();
        }
    }
}
