package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.switchover.ChangeOutcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailoverTest {
    private final TakeoverFixture standby = new TakeoverFixture();
    private final TakeoverFixture old = new TakeoverFixture();

    private static boolean isWitnessed(Map<String, Object> witness) {
        return Failover.isWitnessed(List.of(Map.of(), Map.of("witness", witness)));
    }

    /** Commits go on without one that has withdrawn: what the old primary has more clients may have been told of. */
    @Test
    void onlyAWitnessThatIsPresentHasAllThatClientsWereToldOf() {
        assertThat(isWitnessed(Map.of("state", "present", "mode", "disk"))).isTrue();
        for (String state : List.of("behind", "withdrawn")) {
            assertThat(isWitnessed(Map.of("state", state, "mode", "disk"))).isFalse();
        }
        assertThat(isWitnessed(Map.of())).isFalse();
    }

    /** The run that promoted has said it, and may have been overlooked. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSecondRunSaysWhatAFencedPrimaryHasMore(boolean fenced) throws Exception {
        standby.fenced = fenced;
        old.logged = "0-1-7";
        standby.primary = old;
        assertThat(again(ChangeOutcome.LOST)).contains("NOT KNOWN", "s1 lacks: 0-1-7");
        old.logged = null;
        assertThat(again(ChangeOutcome.DONE)).doesNotContain("NOT KNOWN");
        assertThat(old.executed).isEmpty();
    }

    /** It has no more, and is asked while the new primary writes on. */
    @Test
    void anOldPrimaryThatReplicatesFromTheNewOneHasNoMore() throws Exception {
        AtomicInteger transaction = new AtomicInteger(5);
        standby.primary = (connection, sql) -> {
            if (sql.startsWith("SELECT @@global.gtid_slave_pos")) {
                standby.replicated = "0-2-" + transaction.incrementAndGet();
                old.replicated = standby.replicated;
                old.received = standby.replicated;
            }
            return old.row(connection, sql);
        };
        assertThat(again(ChangeOutcome.DONE)).doesNotContain("NOT KNOWN");
        assertThat(transaction.get()).isGreaterThan(5);
    }

    /** A hook has no second run: it promotes, and says what is not known. */
    @Tag("long")
    @Test
    void aFencedPrimaryThatDoesNotTellWhatItHasIsPromotedOver() throws Exception {
        standby.fenced = true;
        standby.primary = old;
        old.server = "10.0.0.1:3306:1";
        old.broken = true;
        try (ServerSocket listens = closing()) {
            StringWriter out = new StringWriter();
            Failover failover = failover(standby.takeover("127.0.0.1:" + listens.getLocalPort()), out);
            assertThat(failover.run()).as(out.toString()).isEqualTo(ChangeOutcome.LOST);
            assertThat(out.toString())
                    .contains("has or may have more, and does not tell: it is waited for no longer")
                    .contains("10.0.0.2:3306 is writable")
                    .contains("NOT KNOWN: what 127.0.0.1");
        }
        old.broken = false;
        old.logged = "0-1-7";
        try (ServerSocket listens = closing()) {
            StringWriter out = new StringWriter();
            Failover failover = failover(standby.takeover("127.0.0.1:" + listens.getLocalPort()), out);
            assertThat(failover.run()).as(out.toString()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
            assertThat(out.toString()).contains("responds, and has transactions that s1 lacks: 0-1-7");
        }
    }

    /** Closes each connection, which is a sign of life. */
    private static ServerSocket closing() throws IOException {
        ServerSocket listens = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        new Thread(() -> {
                    while (true) {
                        try {
                            listens.accept().close();
                        } catch (IOException e) {
                            return; // closed
                        }
                    }
                })
                .start();
        return listens;
    }

    /** Runs it, and its rehearsal, where all is done already. */
    private String again(ChangeOutcome expected) throws Exception {
        standby.readOnly = "0";
        old.server = "10.0.0.1:3306:1";
        try (ServerSocket listens = closing()) {
            Takeover replicating = standby.takeover("127.0.0.1:" + listens.getLocalPort());
            Takeover promoted = new Takeover(
                    replicating.pair(), false, replicating.scripts(), List.of(), List.of(), replicating.options());
            String said = "";
            for (boolean dryRun : new boolean[] {true, false}) {
                StringWriter out = new StringWriter();
                Failover again = failover(promoted, out);
                assertThat(dryRun ? again.rehearse() : again.run())
                        .as(out.toString())
                        .isEqualTo(expected);
                assertThat(out.toString()).contains("is the primary already");
                said = out.toString();
            }
            return said;
        }
    }

    private static Failover failover(Takeover takeover, StringWriter out) throws Exception {
        UnderstudyConfig config = ConfigLoader.load(
                        "{ listen: { address: \"127.0.0.1:0\" }, primary: { address: \"10.0.0.1:3306\" } }",
                        "test.yaml",
                        Map.of(),
                        name -> null)
                .config();
        return new Failover(takeover, new OtherStandbys(takeover, Map.of()), config, new PrintWriter(out, true));
    }
}
