package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes of the primary that fail: undone before the promotion, named after it. */
@Tag("long")
class FailedSwitchoverTest extends SwitchoverHarness {
    /** A signal arrives during the step. */
    private record Signalled(Step step, AtomicReference<Switchover> whole) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            String result = step.run();
            java.util.Objects.requireNonNull(whole.get()).stop(Duration.ZERO);
            return result;
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    /** Fails after it was done, as by a broken connection. */
    private record Broken(Step step, boolean before) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            if (!before) {
                step.run();
            }
            throw new StepFailure("injected");
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    private static Steps broken(Steps steps, int which) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        boolean last = which == preparation.size();
        if (!last) {
            preparation.set(which, new Broken(preparation.get(which), false));
        }
        Step promotion = last ? new Broken(steps.promotion(), true) : steps.promotion();
        return new Steps(steps.checks(), preparation, promotion, steps.follow(), steps.release(), steps.rest());
    }

    private Steps signalled(Steps steps) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        preparation.set(4, new Signalled(preparation.get(4), running));
        return new Steps(steps.checks(), preparation, steps.promotion(), steps.follow(), steps.release(), steps.rest());
    }

    private void assertAsBefore(EmbeddedServer old, EmbeddedServer chosen, WriteLoad load, Said said) throws Exception {
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        assertThat(said.text()).contains("FAILED: ", "everything is as before");
        assertThat(readOnly(old)).as(said.text()).isFalse();
        assertThat(readOnly(chosen)).as(said.text()).isTrue();
        assertThat(admin.view("hold")).containsEntry("held", false);
        awaitReplication(chosen);
        awaitGrowth(load);
    }

    @Test
    void aFailureBeforeThePromotionIsUndone() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            for (int i = 0; i < 7; i++) {
                int which = i;
                Said said = switchTo(chosen, BOUNDS, steps -> broken(steps, which));
                assertThat(said.text()).contains("FAILED: injected");
                assertAsBefore(old, chosen, load, said);
            }
            Said ended = switchTo(chosen, BOUNDS, this::signalled);
            assertThat(ended.text()).contains("FAILED: ended by a signal");
            assertAsBefore(old, chosen, load, ended);
            load.close();
            assertThat(load.failures()).isEmpty();
            assertThat(rows(old) - before).isEqualTo(load.committed());
        }
    }

    @Test
    void whatServersAndSessionsRefuseIsUndone() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        SwitchoverLimits hasty = new SwitchoverLimits(Duration.ofMillis(500), Duration.ofSeconds(2));
        // The standby is as late as the machine is busy.
        SwitchoverLimits patient = new SwitchoverLimits(Duration.ofSeconds(20), Duration.ofSeconds(2));
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            try (Connection blocker = chosen.connect();
                    Statement statement = blocker.createStatement()) {
                statement.execute("LOCK TABLES shop.t READ");
                awaitGrowth(load);
                Said said = switchTo(chosen, hasty, steps -> steps);
                assertThat(said.text()).contains("has not applied the primary's position within 500 ms");
                statement.execute("UNLOCK TABLES");
                assertAsBefore(old, chosen, load, said);
            }
            try (Connection open = DriverManager.getConnection(
                            "jdbc:mariadb://127.0.0.1:" + address().getPort() + "/shop?sslMode=disable",
                            "app",
                            "secret");
                    Statement statement = open.createStatement()) {
                statement.execute("START TRANSACTION");
                statement.execute("SELECT COUNT(*) FROM t");
                Said said = switchTo(chosen, patient, steps -> steps);
                assertThat(said.text()).contains("1 in a transaction");
                assertAsBefore(old, chosen, load, said);
                statement.execute("COMMIT");
            }
            Said said = switchTo(chosen, patient, steps -> writingBeforeThePromotion(steps, old));
            assertThat(said.text()).contains("somebody wrote to the old primary");
            assertAsBefore(old, chosen, load, said);
            load.close();
            assertThat(load.failures()).isEmpty();
            chosen.execute("STOP SLAVE");
            Said stopped = switchTo(chosen, hasty, steps -> steps);
            chosen.execute("START SLAVE");
            assertThat(stopped.outcome()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
            assertThat(stopped.text())
                    .contains("does not receive what the primary writes")
                    .doesNotContain("undone:");
        }
    }

    /** Its number is lower than the primary's last by the time of the switch. */
    @Test
    void aStandbyWithATransactionOfItsOwnIsNotPromoted() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        chosen.execute("SET GLOBAL gtid_strict_mode = 0", "STOP SLAVE", "START SLAVE");
        chosen.execute("CREATE TABLE mysql.own (id INT)", "DROP TABLE mysql.own");
        for (int i = 0; i < 5; i++) {
            old.execute("INSERT INTO shop.t (v) VALUES ('later')");
        }
        try {
            Said said = switchTo(chosen);
            assertThat(said.outcome()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
            assertThat(said.text()).contains("blocks errant").contains("that the primary never had");
            assertThat(readOnly(chosen)).isTrue();
        } finally {
            chosen.execute("STOP SLAVE", "RESET MASTER", "SET GLOBAL gtid_strict_mode = 1", "START SLAVE");
            awaitReplication(chosen);
        }
    }

    /** An administrator who writes to the read-only primary before that step. */
    private record Writing(Step step, EmbeddedServer server) implements Step {
        @Override
        public String plan() {
            return step.plan();
        }

        @Override
        public String run() throws Exception {
            server.execute("CREATE OR REPLACE TABLE shop.other (id INT)");
            return step.run();
        }

        @Override
        public String undo() throws Exception {
            return step.undo();
        }
    }

    private static Steps writingBeforeThePromotion(Steps steps, EmbeddedServer server) {
        return new Steps(
                steps.checks(),
                steps.preparation(),
                new Writing(steps.promotion(), server),
                steps.follow(),
                steps.release(),
                steps.rest());
    }

    /** Another switch has made the old primary read-only after this one's check. */
    private static Steps overtaken(Steps steps, EmbeddedServer old) {
        List<Step> preparation = new ArrayList<>(steps.preparation());
        Step hold = preparation.get(1);
        preparation.set(1, new Step() {
            @Override
            public String plan() {
                return hold.plan();
            }

            @Override
            public String run() throws Exception {
                old.execute("SET GLOBAL read_only=1");
                return hold.run();
            }

            @Override
            public String undo() throws Exception {
                return hold.undo();
            }
        });
        return new Steps(steps.checks(), preparation, steps.promotion(), steps.follow(), steps.release(), steps.rest());
    }

    /** Two operators at once: the second one must not promote a second server. */
    @Test
    void aSwitchThatAnotherHasOvertakenPromotesNothing() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        try {
            Said said = switchTo(chosen, BOUNDS, steps -> overtaken(steps, old));
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
            assertThat(said.text()).contains("has become read-only since the check");
            assertThat(readOnly(old)).as("what the other switch has done stays").isTrue();
            assertThat(readOnly(chosen)).as(said.text()).isTrue();
            assertThat(admin.view("hold")).containsEntry("held", false);
        } finally {
            old.execute("SET GLOBAL read_only=0");
        }
    }

    /** As after a restart of the proxy, or its death: nobody is held, so nothing is gained by going on. */
    @Test
    void aHoldThatIsOverEarlyPromotesNothing() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(chosen, BOUNDS, this::released);
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        assertThat(said.text()).contains("the proxy holds its sessions no more");
        assertThat(readOnly(old)).as(said.text()).isFalse();
        assertThat(readOnly(chosen)).as(said.text()).isTrue();
        awaitReplication(chosen);
    }

    private Steps released(Steps steps) {
        Step promotion = new Step() {
            @Override
            public String plan() {
                return steps.promotion().plan();
            }

            @Override
            public String run() throws Exception {
                admin.act("release");
                return steps.promotion().run();
            }
        };
        return new Steps(steps.checks(), steps.preparation(), promotion, steps.follow(), steps.release(), steps.rest());
    }

    private static Steps follow(Steps steps, Step follow) {
        return new Steps(steps.checks(), steps.preparation(), steps.promotion(), follow, steps.release(), steps.rest());
    }

    /** The last one, because the servers differ afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void aFailureAfterThePromotionIsSaidAndSessionsAreReleased() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        Said said = switchTo(chosen, BOUNDS, steps -> follow(steps, new Broken(steps.follow(), true)));
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.LEFT);
        assertThat(said.text().strip())
                .endsWith("  " + name(chosen) + " is the primary, and what FAILED is left to do, as printed");
        assertThat(readOnly(old)).isTrue();
        assertThat(readOnly(chosen)).isFalse();
        assertThat(admin.view("hold")).containsEntry("held", false);
        makeStandby(old, said);
        admin.act("primary?address=" + text(chosen));

        Said wrote = switchTo(old, BOUNDS, steps -> follow(steps, new Writing(steps.follow(), chosen)));
        assertThat(wrote.outcome()).as(wrote.text()).isEqualTo(ChangeOutcome.LEFT);
        assertThat(wrote.text())
                .contains("FAILED: somebody wrote to the old primary")
                .doesNotContain("CHANGE MASTER");
    }
}
