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
import org.junit.jupiter.api.Test;

class FailoverTest {
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
    @Test
    void aSecondRunSaysWhatAFencedPrimaryHasMore() throws Exception {
        TakeoverFixture standby = new TakeoverFixture();
        standby.fenced = true;
        standby.readOnly = "0";
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        old.logged = "0-1-7";
        standby.primary = old;
        UnderstudyConfig config = ConfigLoader.load(
                        "{ listen: { address: \"127.0.0.1:0\" }, primary: { address: \"10.0.0.1:3306\" } }",
                        "test.yaml",
                        Map.of(),
                        name -> null)
                .config();
        try (ServerSocket listens = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            Thread closes = new Thread(() -> {
                while (true) {
                    try {
                        listens.accept().close();
                    } catch (IOException e) {
                        return; // closed
                    }
                }
            });
            closes.start();
            Takeover replicating = standby.takeover("127.0.0.1:" + listens.getLocalPort());
            Takeover promoted = new Takeover(
                    replicating.pair(), false, replicating.scripts(), List.of(), List.of(), replicating.options());
            for (boolean dryRun : new boolean[] {true, false}) {
                StringWriter said = new StringWriter();
                Failover again = new Failover(
                        promoted, new OtherStandbys(promoted, Map.of()), config, new PrintWriter(said, true));
                assertThat(dryRun ? again.rehearse() : again.run()).isEqualTo(ChangeOutcome.LOST);
                assertThat(said.toString()).contains("is the primary already", "NOT KNOWN", "s1 lacks: 0-1-7");
            }
            assertThat(old.executed).isEmpty();
        }
    }
}
