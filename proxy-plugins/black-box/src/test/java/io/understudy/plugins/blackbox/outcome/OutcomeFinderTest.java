package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import io.understudy.testkit.Fakes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When the primary is looked at, and what stays of it. */
class OutcomeFinderTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Duration HOLD = Duration.ofMinutes(1);

    private long now = 1_000 * SECOND;
    private final Traces traces = new Traces(() -> now);
    private final PrimaryOrder order = new PrimaryOrder(() -> now);
    private final Outcomes outcomes = new Outcomes();
    private final List<OutcomeRecord> kept = new ArrayList<>();
    private int refusals;
    private int looks;
    /** The primary's server id; 0 while it does not respond. */
    private long primary = 11;

    private boolean readOnly;

    private final OutcomeFinder finder = new OutcomeFinder(
            Fakes.of(
                    PluginContext.class,
                    Map.of("meters", new SimpleMeterRegistry(), "primary", Fakes.of(Primary.class, dataSource()))),
            this::look,
            traces,
            order,
            outcomes,
            () -> {},
            () -> {},
            this::keep,
            () -> now);

    private static Map<String, @Nullable Object> dataSource() {
        Map<String, @Nullable Object> none = new HashMap<>();
        none.put("dataSource", null);
        return none;
    }

    private PrimaryLook look() throws SQLException {
        looks++;
        if (primary == 0) {
            throw new SQLException("a fault of a test");
        }
        PrimaryFacts facts =
                new PrimaryFacts(ServerFlavor.MARIADB, primary, "", true, "MIXED", true, "0-" + primary + "-5");
        GtidNumbers has = new GtidNumbers();
        has.add("0-" + primary, 1, 5);
        return new PrimaryLook(readOnly, 0, SECOND, List.of(), Set.of(), null, facts, has, Map.of());
    }

    private void keep(OutcomeRecord settled) {
        if (refusals-- > 0) {
            throw new IllegalStateException("a fault of a test");
        }
        kept.add(settled);
    }

    private void stream(long server) {
        traces.started(new PrimaryFacts(ServerFlavor.MARIADB, server, "", true, "MIXED", true, "0-" + server + "-5"));
    }

    private CompletableFuture<Outcome> lose(Duration patience) {
        return finder.lost(PrimaryOrderTest.lost(now, null), patience).toCompletableFuture();
    }

    @Test
    void whatCannotBeKeptIsToldAllTheSame() {
        stream(11);
        finder.run();
        now += 200 * SECOND;
        refusals = 1;
        CompletableFuture<Outcome> first = lose(HOLD);
        CompletableFuture<Outcome> second = lose(HOLD);
        now += SECOND;
        finder.run();
        finder.run();

        assertThat(first).isCompletedWithValue(new Outcome.NotCommitted());
        assertThat(second).isCompletedWithValue(new Outcome.NotCommitted());
        assertThat(kept).hasSize(1);
    }

    @Test
    void aWriteWhoseCommitWasNotSentWaitsForNoPrimary() {
        primary = 0;
        CompletableFuture<Outcome> within = finder.lost(
                        PrimaryOrderTest.lost(now, null, UnansweredStatement.Effect.NONE), HOLD)
                .toCompletableFuture();
        assertThat(within).isCompletedWithValue(new Outcome.NotCommitted());
        finder.run();
        assertThat(kept)
                .singleElement()
                .extracting(OutcomeRecord::verdict)
                .isEqualTo(OutcomeRecord.Verdict.NOT_COMMITTED);
    }

    /** The client is told at once, before the finder has taken the statement over. */
    @Test
    void whatAClientWasToldAtOnceIsRecorded() {
        UnansweredStatement within = PrimaryOrderTest.lost(now, null, UnansweredStatement.Effect.NONE);
        finder.lost(within, HOLD);
        finder.told(within.session(), within.command(), new Outcome.NotCommitted());
        finder.run();
        assertThat(outcomes.find(Outcomes.Filter.ANY))
                .singleElement()
                .extracting(OutcomeRecord::verdict, OutcomeRecord::told)
                .containsExactly(OutcomeRecord.Verdict.NOT_COMMITTED, true);
    }

    /** RESET MASTER: what was not read of the log is gone. */
    @Test
    void aPrimaryThatLacksWhatItsLogHadTellsNothing() {
        traces.started(new PrimaryFacts(ServerFlavor.MARIADB, 11, "", true, "MIXED", true, "0-11-9"));
        now += 200 * SECOND;
        CompletableFuture<Outcome> lost = lose(HOLD);
        now += SECOND;
        finder.run();
        assertThat(lost).isNotDone();
        assertThat(outcomes.find(Outcomes.Filter.ANY).get(0).reason()).contains("was reset");
    }

    @Test
    void itGivesUpAfterTenMinutesAlsoWithoutAPrimary() {
        primary = 0;
        refusals = 1;
        lose(Duration.ZERO);
        CompletableFuture<Outcome> second = lose(HOLD);
        now += 602 * SECOND;
        finder.run();
        finder.run();

        assertThat(second).isCompletedWithValue(new Outcome.Unknown("the primary has not responded since"));
    }

    @Test
    void aPrimaryIsAskedLessOftenWhereNobodyWaits() {
        finder.run();
        readOnly = true; // it stays open
        lose(Duration.ZERO);
        looks = 0;
        for (int i = 0; i < 100; i++) {
            now += SECOND / 10;
            finder.run();
        }
        assertThat(looks).isEqualTo(20);

        CompletableFuture<Outcome> waits = lose(HOLD);
        looks = 0;
        finder.run();
        finder.run();
        assertThat(looks).isEqualTo(2);
        waits.complete(new Outcome.Unknown("the hold is over"));
        finder.run();
        assertThat(looks).isEqualTo(2);
    }

    /** A virtual address moved. */
    @Test
    void anotherServerBehindTheSameAddressIsNoticedWithoutALoss() {
        stream(11);
        finder.run();
        finder.run();
        assertThat(looks).isEqualTo(1);
        now += 1_000 * SECOND;
        primary = 12;
        stream(12);
        finder.run();
        finder.run();
        assertThat(looks).isEqualTo(2);
        now += 1_000 * SECOND;

        assertThat(order.of(PrimaryOrderTest.lost(now, null)))
                .extracting(ServerIdentity::serverId)
                .containsExactly(12L);
    }

    @Test
    void tooManyAreUnknownAtOnce() {
        primary = 0;
        for (int i = 0; i < 10_000; i++) {
            lose(Duration.ZERO);
        }
        refusals = 1;
        assertThat(lose(HOLD)).isCompletedWithValue(new Outcome.Unknown("too many statements were lost at once"));
        assertThat(refusals).as("a session never waits for the log").isEqualTo(1);
    }
}
