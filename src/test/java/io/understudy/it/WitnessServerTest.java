package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.testkit.CapturedLog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The witness before a real pair: what a client was told is kept, and nobody waits for what it cannot keep. */
@Timeout(180)
class WitnessServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** The servers wait this long for an acknowledgement: no test lasts so long by accident. */
    private static final Duration SEMI_SYNC_TIMEOUT = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    static EmbeddedPair pair(PairOptions options) {
        EmbeddedPair pair = EmbeddedPair.start(options.withSemiSyncTimeout(SEMI_SYNC_TIMEOUT));
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n))");
        pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON shop.*");
        pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        return pair;
    }

    private static Connection use(Connection connection) throws SQLException {
        connection.setCatalog("shop");
        return connection;
    }

    static Set<String> rows(EmbeddedServer server) throws SQLException {
        Set<String> all = new HashSet<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT(w, '-', n) FROM shop.t")) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }

    static void awaitApplied(EmbeddedServer standby) {
        await().atMost(PATIENCE)
                .until(() -> BlackBoxTools.column(standby, "SHOW ALL SLAVES STATUS", "Gtid_IO_Pos")
                        .equals(standby.query("SELECT @@global.gtid_slave_pos")));
    }

    /** {@code -Dunderstudy.it.kills=20} for the figures. */
    static IntStream rounds() {
        return IntStream.rangeClosed(1, Integer.getInteger("understudy.it.kills", 1));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void everyAnsweredRowIsKept(int round) throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
            proxy.awaitWitness();
            Writers writers = Writers.start(8, proxy::connect);
            writers.awaitRows(500);
            pair.link().refuse();
            pair.link().cut();
            writers.awaitMore(200); // which the standby lacks
            pair.primary().kill();
            Set<String> answered = writers.join();
            awaitApplied(pair.standby());

            Set<String> missing = new HashSet<>(answered);
            missing.removeAll(rows(pair.standby()));
            LostView lost = proxy.lost();
            System.out.println("round " + round + ": answered " + answered.size() + ", missing " + missing.size()
                    + ", listed " + lost.number("answeredAndMissing", "count") + ", of these not captured "
                    + lost.number("answeredAndMissing", "notCaptured"));
            assertThat(missing).isNotEmpty();
            assertThat(lost.number("answeredAndMissing", "count")).isEqualTo(missing.size());
            assertThat(lost.number("answeredAndMissing", "notCaptured")).isZero();
            assertThat(lost.number("unknown", "transactions")).isZero();
            assertThat(lost.all().get("notKnown")).isEqualTo(List.of());

            Path file = folder.resolve("rescued" + round);
            proxy.rescue(file);
            BlackBoxTools.assumeMariaDbTools();
            pair.standby().execute("STOP SLAVE", "SET GLOBAL read_only=0");
            BlackBoxTools.replay(file, pair.standby());
            missing.removeAll(rows(pair.standby()));
            assertThat(missing).isEmpty();
        }
    }

    /** Alone, it answers at once; after it has gone the commit waits, and its return ends the wait. */
    @Tag("long")
    @Test
    void aCommitThatWaitsIsAcknowledgedWhenTheWitnessComes() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults())) {
            pair.link().refuse();
            pair.primary()
                    .execute("KILL "
                            + pair.primary()
                                    .query("SELECT id FROM information_schema.processlist"
                                            + " WHERE command LIKE 'Binlog Dump%'"));
            await().atMost(PATIENCE).until(() -> pair.primary().status("Rpl_semi_sync_master_clients") == 0);
            Writers waiting = Writers.start(3, () -> use(pair.primary().connect()));
            await().atMost(PATIENCE).until(() -> pair.primary().status("Rpl_semi_sync_master_wait_sessions") == 3);
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
                waiting.awaitRows(3);
                proxy.awaitWitness();
                waiting.awaitMore(100);
            }
            pair.primary().kill();
            waiting.join();
        }
    }

    /** The connection is open, and nothing passes: the primary may wait until its time-out, and not a moment longer. */
    @Tag("long")
    @Test
    void withdrawsWhenTheNetworkIsSilentAndComesBackWithoutAGap() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                DelayedLink network = DelayedLink.to(pair.primary().address(), Duration.ZERO);
                BlackBoxProxy proxy = BlackBoxProxy.start(
                        network.address(),
                        pair.standby().address(),
                        "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
            proxy.awaitWitness();
            Writers writers = Writers.start(2, () -> use(pair.primary().connect()));
            writers.awaitRows(50);
            network.pause();
            await().atMost(PATIENCE).until(() -> proxy.withdrawn("connection") == 1);
            assertThat(proxy.witness()).isEqualTo("withdrawn");
            writers.awaitMore(50); // the standby acknowledges
            network.resume();
            proxy.awaitWitness();
            writers.awaitMore(50);
            writers.stop();
            writers.join();
            pair.awaitCaughtUp(PATIENCE);
            await().atMost(PATIENCE).until(() -> {
                LostView lost = proxy.lostNow();
                return lost.number("unknown", "transactions") == 0 && lost.number("answeredAndMissing", "count") == 0;
            });
        }
    }

    /** Nothing that was acknowledged is dropped to make room for more. */
    @Tag("long")
    @Test
    void withdrawsWhenItsMemoryIsFullAndComesBackWithoutAGap() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 1MiB, poll: 100ms, acknowledge: memory")) {
            proxy.awaitWitness();
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            Writers writers = Writers.start(4, proxy::connect);
            await().atMost(PATIENCE).until(() -> proxy.withdrawn("memory") == 1);
            assertThat(proxy.witness()).isEqualTo("withdrawn");
            writers.awaitMore(50); // the standby acknowledges
            LostView lost = proxy.lostNow();
            assertThat(lost.number("kept", "dropped")).isZero();
            assertThat(lost.number("unknown", "transactions")).isZero();
            pair.standby().execute("START SLAVE SQL_THREAD");
            proxy.awaitWitness();
            writers.awaitMore(50);
            writers.stop();
            writers.join();
            pair.awaitCaughtUp(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> proxy.lostNow().number("unknown", "transactions") == 0
                            && proxy.lostNow().number("answeredAndMissing", "count") == 0);
        }
    }

    /** The operator decides whether commits wait; the witness follows. */
    @Tag("long")
    @Test
    void registersWhenSemiSynchronousReplicationIsSwitchedOn() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults().withSemiSync(false));
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> proxy.witnessView("reason").equals("no_semi_sync"));
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=1");
            proxy.awaitWitness();
            long before = pair.primary().status("Rpl_semi_sync_master_yes_tx");
            Writers writers = Writers.start(1, proxy::connect);
            writers.awaitRows(20);
            await().atMost(PATIENCE).until(() -> sinceSeconds(proxy) > 3);
            try (CapturedLog log = new CapturedLog()) {
                pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=0");
                await().atMost(PATIENCE).until(() -> proxy.witness().equals("withdrawn"));
                await().atMost(PATIENCE).until(() -> sinceSeconds(proxy) < 3);
                writers.awaitMore(20);
                pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=1");
                writers.awaitMore(20);
                proxy.awaitWitness();
                assertThat(log.text()).contains("is on again, and the witness acknowledges");
            }
            writers.stop();
            writers.join();
            assertThat(pair.primary().status("Rpl_semi_sync_master_yes_tx")).isGreaterThan(before + 20);
        }
    }

    private static long sinceSeconds(BlackBoxProxy proxy) {
        return Long.parseLong(proxy.witnessView("sinceSeconds"));
    }

    /** Without acknowledgements nothing else tells that nothing is kept. */
    @Test
    void aLogAloneHasAView() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "directory: " + folder.resolve("log"))) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> proxy.witnessView("keeps").equals("true"));
            assertThat(proxy.witnessView("mode")).isEqualTo("off");
            assertThat(proxy.lostNow().all().get("witness"))
                    .as("nobody acknowledges")
                    .isEqualTo(Map.of());
            pair.primary().kill();
            await().atMost(PATIENCE).until(() -> proxy.witnessView("keeps").equals("false"));
            assertThat(proxy.witnessView("reason")).isEqualTo("connection");
            assertThat(proxy.witnessView("remedy")).isNotEmpty();
        }
    }

    /** What was answered meanwhile is in no list, and so nobody may say that nothing is lost. */
    @Tag("long")
    @Test
    void doesNotCallCompleteWhatWasAnsweredAfterItHadWithdrawn() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 1MiB, poll: 100ms, acknowledge: memory")) {
            proxy.awaitWitness();
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            Writers writers = Writers.start(4, () -> use(pair.primary().connect()));
            await().atMost(PATIENCE).until(() -> proxy.withdrawn("memory") == 1);
            writers.awaitMore(50); // the standby acknowledges
            pair.primary().kill();
            writers.join();
            await().atMost(PATIENCE)
                    .until(() -> proxy.lostNow().text("primary", "read").equals("false"));
            assertThat(String.valueOf(proxy.lostNow().all().get("notKnown"))).contains("no witness was present");
        }
    }

    /** MariaDB leaves the connection open, and sends nothing more over it. */
    @Tag("long")
    @Test
    void comesBackAfterAResetOfTheBinaryLogWhileCommitsWait() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
            proxy.awaitWitness();
            pair.standby().execute("STOP SLAVE");
            pair.primary().execute("RESET MASTER");
            Writers writers = Writers.start(2, () -> use(pair.primary().connect()));
            writers.awaitRows(50);
            writers.stop();
            writers.join();
            assertThat(proxy.lostNow().number("kept", "transactions")).isGreaterThanOrEqualTo(50);
        }
    }
}
