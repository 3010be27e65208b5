package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.it.FailoverPair.Said;
import io.understudy.switchover.ChangeOutcome;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@code failover} that is refused, ended or hindered anywhere, and the one after it. */
@Tag("long")
@Timeout(180)
class InterruptedFailoverTest {
    private static final String ROWS = "SELECT COUNT(*) FROM shop.t";

    @TempDir
    private Path folder;

    private FailoverPair servers;

    @BeforeEach
    void start() throws Exception {
        servers = FailoverPair.start(folder, ", BINLOG REPLAY");
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Has something happen when the program prints a line. */
    private static final class Followed extends PrintWriter {
        private final Consumer<String> action;

        Followed(StringWriter out, Consumer<String> action) {
            super(out, true);
            this.action = action;
        }

        @Override
        public void println(String line) {
            super.println(line);
            action.accept(line);
        }
    }

    /** Rows, in one transaction each. */
    private static void write(EmbeddedServer server, int first, int last) {
        String[] statements = new String[last - first + 1];
        for (int n = first; n <= last; n++) {
            statements[n - first] = "INSERT INTO shop.t VALUES (1, " + n + ", 'filler')";
        }
        server.execute(statements);
    }

    private void lack(int rows) {
        servers.cutOff();
        write(servers.pair.primary(), 1, rows);
        servers.awaitCaptured();
    }

    private boolean readOnly() {
        return servers.standby().query("SELECT @@GLOBAL.read_only").equals("1");
    }

    /** By the number of the step behind which it is killed. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void killedBehindAStepASecondRunCompletes(int step) throws Exception {
        lack(20);
        servers.pair.primary().kill();
        int[] ended = {0};
        Followed out = new Followed(new StringWriter(), line -> {
            if (line.contains(" ms) - ") && ++ended[0] == step) {
                throw new Killed();
            }
        });
        assertThatThrownBy(() -> servers.failOver(false, out)).isInstanceOf(Killed.class);
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(servers.standby().query(ROWS)).isEqualTo("20");
        assertThat(readOnly()).isFalse();
        assertThat(servers.standby().replication()).isEmpty();
    }

    /** Its receiver tries to connect to the dead primary. */
    @Test
    void aWritableStandbyThatReplicatesWasNotPromotedBefore() throws Exception {
        servers.standby().execute("SET GLOBAL read_only=0");
        lack(5);
        servers.pair.primary().kill();
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isEqualTo(1);
        assertThat(said.text()).contains("it was never promoted. SET GLOBAL read_only=1 there, and run this again");
        assertThat(servers.standby().query(ROWS)).isEqualTo("0");
        servers.standby().execute("SET GLOBAL read_only=1");
        Said again = servers.run("failover", "--to", "s1");
        assertThat(again.status()).as(again.text()).isZero();
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    @Test
    void aStandbyThatRestartsMidwayGoesOnWhereItWas() throws Exception {
        lack(2_500);
        servers.pair.primary().kill();
        StringWriter first = new StringWriter();
        ChangeOutcome outcome = servers.failOver(false, new Followed(first, line -> {
            if (line.contains("1000 of 2500 are applied")) {
                servers.standby().kill();
            }
        }));
        assertThat(outcome).as(first.toString()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        assertThat(first.toString()).contains("a second run goes on there");
        servers.standby().restart();
        servers.standby().execute("SET GLOBAL read_only=1");
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(servers.standby().query(ROWS)).isEqualTo("2500");
    }

    @Test
    void refusedWhileThePrimaryLivesOrMayWakeUp() throws Exception {
        lack(5);
        Said alive = servers.run("failover", "--to", "s1");
        assertThat(alive.status()).isEqualTo(1);
        assertThat(alive.text()).contains("is not known to be dead: it responds", "--fenced");
        Said looked = servers.run("failover", "--to", "s1", "--dry-run");
        assertThat(looked.status()).as(looked.text()).isEqualTo(1);
        assertThat(looked.text())
                .contains("is not known to be dead: it responds", "5 transactions, about 1 s", "5 transactions can be");
        servers.pair.primary().freeze();
        Said frozen = servers.run("failover", "--to", "s1");
        assertThat(frozen.status()).isEqualTo(1);
        assertThat(frozen.text()).contains("it may be frozen, and go on later", "was not promoted");
        assertThat(readOnly()).isTrue();

        Said fenced = servers.run("failover", "--to", "s1", "--fenced");
        servers.pair.primary().thaw();
        assertThat(fenced.status()).as(fenced.text()).isZero();
        assertThat(fenced.text()).contains("could NOT be made read-only");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    @Test
    void aFencedPrimaryThatLivesBecomesReadOnly() throws Exception {
        lack(5);
        Said fenced = servers.run("failover", "--to", "s1", "--fenced");
        assertThat(fenced.status()).as(fenced.text()).isZero();
        assertThat(servers.pair.primary().query("SELECT @@GLOBAL.read_only")).isEqualTo("1");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");

        // A read-only server, as a standby of the new primary.
        for (String[] again : new String[][] {{"failover", "--to", "s1"}, {"failover", "--to", "s1", "--dry-run"}}) {
            Said said = servers.run(again);
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(said.text()).contains("is the primary already").doesNotContain("to do");
        }
    }

    /** In relay logs alone: MariaDB would throw them away with the first START SLAVE. */
    @Test
    void whatIsInRelayLogsThatCannotBeAppliedComesFromTheBlackBox() throws Exception {
        servers.standby().execute("STOP SLAVE SQL_THREAD");
        write(servers.pair.primary(), 1, 5);
        await().atMost(FailoverPair.PATIENCE)
                .until(() -> servers.run("report", "lost").text().contains("but not applied: 5"));
        servers.standby().execute("STOP SLAVE IO_THREAD");
        servers.pair.primary().kill();
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(said.text()).contains("it comes from the black boxes instead");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    /** It tells nothing of them any more. */
    @Test
    void relayLogsThatARestartHasLeftComeFromTheBlackBox() throws Exception {
        servers.standby().execute("STOP SLAVE SQL_THREAD");
        write(servers.pair.primary(), 1, 5);
        await().atMost(FailoverPair.PATIENCE)
                .until(() -> servers.run("report", "lost").text().contains("but not applied: 5"));
        servers.pair.primary().kill();
        servers.standby().stop();
        servers.standby().restart();
        servers.standby().execute("SET GLOBAL read_only=1");
        assertThat(servers.standby().replication().get("gtid_io_pos")).isEmpty();
        assertThat(servers.run("failover", "--to", "s1", "--dry-run").text())
                .contains("NOT KNOWN: the relay logs that it had when it was restarted");
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(said.text()).contains("The black boxes have all that clients were told");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    /** Its position counts the earlier ones: it would get the later ones without those between. */
    @Test
    void aStandbyThatDidNotBeginAnewWithThePrimaryGetsNothing() throws Exception {
        write(servers.pair.primary(), 1, 5);
        servers.pair.awaitCaughtUp(FailoverPair.PATIENCE);
        servers.cutOff();
        servers.pair.primary().execute("RESET MASTER");
        write(servers.pair.primary(), 101, 103);
        awaitReported("NOT KNOWN", "report", "lost"); // the open stream brings nothing of them
        write(servers.pair.primary(), 104, 200);
        awaitReported("[shop.t]", "report", "lost", "--on", "s1");
        servers.pair.primary().kill();
        for (String option : List.of("--dry-run", "--timeout=60s")) {
            Said said = servers.run("failover", "--to", "s1", option);
            assertThat(said.status()).as(said.text()).isEqualTo(1);
            assertThat(said.text())
                    .contains("nothing was applied: the primary's numbers began anew")
                    .contains("docs/black-box.md, After RESET MASTER");
            assertThat(servers.standby().query(ROWS)).isEqualTo("5");
        }
        Said still = servers.run("report", "lost", "--on", "s1", "--compared");
        assertThat(still.status()).as(still.text()).isEqualTo(1);
        assertThat(still.text()).contains("is still that of before");
        // What the document says.
        servers.standby().execute("STOP SLAVE", "RESET SLAVE", "RESET MASTER", "SET GLOBAL gtid_slave_pos=''");
        servers.run("report", "lost", "--on", "s1", "--compared");
        Said all = servers.run("failover", "--to", "s1");
        assertThat(all.status()).as(all.text()).isZero();
        assertThat(servers.standby().query(ROWS)).isEqualTo("105");
    }

    private StringWriter interrupted(boolean fenced, String after, Runnable action, ChangeOutcome expected)
            throws Exception {
        StringWriter said = new StringWriter();
        boolean[] done = {false};
        ChangeOutcome outcome = servers.failOver(fenced, new Followed(said, line -> {
            if (line.contains(after) && !done[0]) {
                done[0] = true;
                action.run();
            }
        }));
        assertThat(outcome).as(said.toString()).isEqualTo(expected);
        return said;
    }

    /** By a supervisor: two servers would be writable. */
    @Test
    void anOldPrimaryThatComesBackBeforeThePromotionEndsIt() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        StringWriter said = interrupted(
                false,
                "compare s1 with the black boxes",
                () -> servers.pair.primary().restart(),
                ChangeOutcome.NOT_PROMOTED);
        assertThat(said.toString()).contains("is not known to be dead: it responds", "START SLAVE");
        assertThat(readOnly()).isTrue();
    }

    @Test
    void withFencedItIsReadOnlyBeforeThePromotion() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        StringWriter said = interrupted(
                true,
                "compare s1 with the black boxes",
                () -> servers.pair.primary().restart(),
                ChangeOutcome.DONE);
        assertThat(said.toString())
                .containsSubsequence("the old primary is read-only now", "promote s1")
                .doesNotContain("was writable");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    /** Before it is read-only it has told clients of more. */
    @Test
    void whatAFencedPrimaryHasWrittenMeanwhileIsReadBeforeThePromotion() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        StringWriter said = interrupted(
                true,
                "compare s1 with the black boxes",
                () -> {
                    servers.pair.primary().restart();
                    write(servers.pair.primary(), 6, 8);
                },
                ChangeOutcome.DONE);
        assertThat(said.toString())
                .containsSubsequence("the old primary responds, and has more", "3 transactions", "promote s1");
        assertThat(servers.standby().query(ROWS)).isEqualTo("8");
    }

    /** The black box reads on until it follows the new primary. */
    @Test
    void whatIsToBeDoneNamesHowFarTheOldPrimaryWasReadInTheEnd() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        StringWriter said = interrupted(
                true,
                "enable semi-sync on s1",
                () -> {
                    servers.pair.primary().restart();
                    write(servers.pair.primary(), 6, 8);
                    servers.awaitCaptured();
                },
                ChangeOutcome.LOST);
        assertThat(said.toString())
                .contains("its binary log was read up to "
                        + servers.pair.primary().query("SELECT @@GLOBAL.gtid_binlog_pos"));
    }

    @Test
    void anOldPrimaryThatComesBackBehindThePromotionBecomesReadOnly() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        StringWriter said =
                interrupted(false, "promote s1", () -> servers.pair.primary().restart(), ChangeOutcome.LOST);
        assertThat(said.toString()).contains("was writable: the old primary is read-only now");
        assertThat(servers.pair.primary().query("SELECT @@GLOBAL.read_only")).isEqualTo("1");
        assertThat(readOnly()).isFalse();
    }

    /** Of two to different standbys one would promote each. */
    @Test
    void oneFailoverRunsAtATime() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        try (Connection other = servers.standby().connect();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT GET_LOCK('understudy_failover', 0)");
            Said said = servers.run("failover", "--to", "s1");
            assertThat(said.status()).as(said.text()).isEqualTo(1);
            assertThat(said.text()).contains("another failover runs: connection ");
        }
        awaitReported("lost: nothing", "failover", "--to", "s1");
    }

    private void awaitReported(String text, String... command) {
        await().atMost(FailoverPair.PATIENCE)
                .untilAsserted(() -> assertThat(servers.run(command).text()).contains(text));
    }

    @Test
    void anApplierThatWasStoppedIsStarted() throws Exception {
        servers.standby().execute("STOP SLAVE SQL_THREAD");
        write(servers.pair.primary(), 1, 5);
        await().atMost(FailoverPair.PATIENCE)
                .until(() -> servers.run("report", "lost").text().contains("but not applied: 5"));
        servers.pair.primary().kill();
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(said.text()).contains("nothing is missing");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
    }

    /** A second run has nothing to apply then, and the old primary would bring all of it again. */
    @Test
    void rescueAppliesAndPromotesNothing() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        String before = servers.standby().query("SELECT @@GLOBAL.gtid_slave_pos");
        for (int i = 0; i < 2; i++) {
            if (i == 1) { // as if the first run had been killed
                servers.standby()
                        .execute("SET GLOBAL gtid_strict_mode=0", "SET GLOBAL gtid_slave_pos='" + before + "'");
            }
            Said said = servers.run("rescue", "--apply", "--on", "s1");
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(said.text()).contains("still missing: nothing");
            assertThat(servers.standby().query(ROWS)).isEqualTo("5");
            assertThat(readOnly()).isTrue();
            // Should the old primary come back, replication goes on behind them.
            assertThat(servers.standby().query("SELECT @@GLOBAL.gtid_slave_pos = @@GLOBAL.gtid_binlog_pos"))
                    .isEqualTo("1");
        }
        assertThat(servers.run("rescue").status()).isEqualTo(2);
        assertThat(servers.run("rescue", "--apply").status()).isEqualTo(2);
        assertThat(servers.run("failover", "--to", "s1").status()).isZero();
    }

    private void assertReplicationGoesOnBehindAll() {
        assertThat(servers.standby().query("SELECT @@GLOBAL.gtid_slave_pos"))
                .isEqualTo(servers.standby().query("SELECT @@GLOBAL.gtid_binlog_pos"));
    }

    @Test
    void replicationGoesOnBehindWhatIsAppliedBeforeARefusal() throws Exception {
        servers.pair.primary().execute("CREATE TABLE shop.u (id INT PRIMARY KEY)");
        servers.pair.awaitCaughtUp(FailoverPair.PATIENCE);
        servers.standby().execute("SET SESSION sql_log_bin=0", "DROP TABLE shop.u");
        servers.cutOff();
        write(servers.pair.primary(), 1, 5);
        servers.pair.primary().execute("INSERT INTO shop.u VALUES (1)");
        servers.awaitCaptured();
        servers.pair.primary().kill();
        Said refused = servers.run("failover", "--to", "s1");
        assertThat(refused.status()).as(refused.text()).isEqualTo(1);
        assertThat(refused.text())
                .contains("what is applied stays", "START SLAVE")
                .doesNotContain("gtid_slave_pos");
        assertThat(servers.standby().query(ROWS)).isEqualTo("5");
        assertReplicationGoesOnBehindAll();
        servers.standby().execute("SET SESSION sql_log_bin=0", "CREATE TABLE shop.u (id INT PRIMARY KEY)");
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(servers.standby().query("SELECT COUNT(*) FROM shop.u")).isEqualTo("1");
    }

    @Test
    void whereAKilledRunHasAppliedSomeReplicationIsToGoOnBehindThat() throws Exception {
        lack(1_500);
        servers.pair.primary().kill();
        Followed out = new Followed(new StringWriter(), line -> {
            if (line.contains("1000 of 1500 are applied")) {
                throw new Killed();
            }
        });
        assertThatThrownBy(() -> servers.failOver(false, out)).isInstanceOf(Killed.class);
        servers.pair.primary().restart();
        Said alive = servers.run("failover", "--to", "s1");
        assertThat(alive.status()).as(alive.text()).isEqualTo(1);
        assertThat(alive.text())
                .contains("SET GLOBAL gtid_slave_pos='" + servers.standby().query("SELECT @@GLOBAL.gtid_binlog_pos")
                        + "'; START SLAVE");
        servers.pair.primary().kill();
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(servers.standby().query(ROWS)).isEqualTo("1500");
    }

    @Test
    void aWaitThatTheAccountMayNotEndIsWaitedFor() throws Exception {
        servers.standby().execute("SET SESSION sql_log_bin=0", "GRANT PROCESS ON *.* TO switcher");
        lack(5);
        servers.pair.primary().kill();
        CompletableFuture<String> waiting = servers.waitForPosition(8);
        Said said = servers.run("rescue", "--apply", "--on", "s1");
        assertThat(said.status()).as(said.text()).isZero();
        assertThat(waiting).isCompletedWithValue("-1");
        assertReplicationGoesOnBehindAll();
    }

    @Test
    void whoMayNotOrCannotAskIsToldWhatToDo() throws Exception {
        lack(5);
        servers.pair.primary().kill();
        Path file = folder.resolve("failover.yaml");
        String config = Files.readString(file);
        Files.writeString(file, config.replace("a-token-of-fair-length", "another-token-of-this-length"));
        Said token = servers.run("failover", "--to", "s1");
        assertThat(token.status()).as(token.text()).isEqualTo(1);
        assertThat(token.text()).contains("responded 401", "was not promoted");
        Files.writeString(file, config.replace("user: switcher", "user: monitor"));
        Said privileges = servers.run("failover", "--to", "s1");
        assertThat(privileges.status()).isEqualTo(1);
        assertThat(privileges.text()).contains("There: SET SESSION sql_log_bin=0; GRANT ", "BINLOG REPLAY");
        Files.writeString(file, config);
        assertThat(servers.run("failover", "--to", "nobody").status()).isEqualTo(2);
        assertThat(servers.standby().query(ROWS)).isEqualTo("0");

        String admin = config.replaceFirst("(?s).*admin: \\{ address: \"([^\"]+)\".*", "$1");
        servers.closeProxy();
        Said down = servers.run("failover", "--to", "s1");
        assertThat(down.status()).isEqualTo(1);
        assertThat(down.text()).contains("no response from", "--without " + admin);
        Said typo = servers.run("failover", "--to", "s1", "--without", "127.0.0.1:1");
        assertThat(typo.status()).as(typo.text()).isEqualTo(2);
        assertThat(typo.text()).contains("no such proxy or standby; expected one of " + admin);
        assertThat(servers.run("rescue", "--to", "x", "--without", admin).status())
                .isEqualTo(2);
        Said applied = servers.run("rescue", "--apply", "--on", "s1", "--without", admin);
        assertThat(applied.status()).as(applied.text()).isEqualTo(4);
        Said without = servers.run("failover", "--to", "s1", "--without", admin);
        assertThat(without.status()).as(without.text()).isEqualTo(4);
        assertThat(without.text()).contains("NOT KNOWN: what only the black box of " + admin + " has");
        assertThat(readOnly()).isFalse();
    }

    @Test
    void aStandbyOfAnotherServerIsNotPromoted() throws Exception {
        servers.pair.primary().execute("SET GLOBAL server_id=9"); // for whoever connects from now on it is another one
        servers.standby().execute("STOP SLAVE", "START SLAVE");
        await().atMost(FailoverPair.PATIENCE)
                .until(() -> "9".equals(servers.standby().replication().get("master_server_id")));
        servers.pair.primary().kill();
        for (String[] command : new String[][] {
            {"failover", "--to", "s1", "--dry-run"}, {"failover", "--to", "s1"}, {"rescue", "--apply", "--on", "s1"}
        }) {
            Said said = servers.run(command);
            assertThat(said.status()).as(said.text()).isEqualTo(1);
            assertThat(said.text()).contains("(server_id 9), and the primary that", "is another server (server_id 1)");
        }
        assertThat(readOnly()).isTrue();
    }

    /** Its numbers would collide with those that it lacks. */
    @Test
    void aStandbyWithTransactionsOfItsOwnIsNotPromoted() throws Exception {
        lack(5);
        servers.standby().execute("SET GLOBAL gtid_strict_mode=0", "INSERT INTO shop.t VALUES (9, 9, 'errant')");
        servers.pair.primary().kill();
        Said said = servers.run("failover", "--to", "s1");
        assertThat(said.status()).as(said.text()).isEqualTo(1);
        assertThat(said.text()).contains("it has transactions that the old primary never had");
        assertThat(readOnly()).isTrue();
    }
}
