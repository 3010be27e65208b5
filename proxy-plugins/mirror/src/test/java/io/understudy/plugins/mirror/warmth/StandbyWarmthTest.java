package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.warmth.ProbeResult.Outcome;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StandbyWarmthTest {
    private static final WarmthSettings SETTINGS = new WarmthSettings(0.1, null, 5);
    private static final TableName ORDERS = new TableName("shop", "orders");

    private final StandbyWarmth warmth = new StandbyWarmth(1, 5);
    private final Floor floor = new Floor();
    private long second = 100;
    private long uptime = 5000;
    private long reads;
    private long executed;
    private boolean primary;
    private long primaryReadings;

    StandbyWarmthTest() {
        primaryReads();
        second += 5;
        primaryReads();
    }

    /** The primary reads 0.02 pages for each of 1,000 queries. */
    private void primaryReads() {
        primaryReadings++;
        floor.saw(
                new ServerCounters(20 * primaryReadings, 1000 * primaryReadings, 0, second, 0),
                second * 1_000_000_000L);
    }

    private static StandbyState state(long coldReads, long uptime) {
        return new StandbyState(true, true, 0.0, false, 1, coldReads, uptime, null);
    }

    private void probe(ProbeResult result) {
        warmth.ended(new Probed("rest", 0xabcL, 10, null, List.of(ORDERS), result, second * 1_000_000_000L));
    }

    /** A second in which {@code probes} probes read {@code pages} each. */
    private void pass(int probes, long pages, int statements) {
        second++;
        uptime++;
        executed += statements;
        reads += statements * pages;
        primaryReads();
        for (int i = 0; i < probes; i++) {
            probe(ProbeResult.counted(pages));
        }
        warmth.update(
                state(reads, uptime), primary, floor, Compared.UNKNOWN, executed, SETTINGS, second * 1_000_000_000L);
    }

    private @Nullable Object view(String key) {
        return warmth.view().get(key);
    }

    @Test
    void anIdleStandbyIsUnknownAndNotWarm() {
        for (int i = 0; i < 10; i++) {
            pass(0, 0, 0);
        }
        assertThat(warmth.excess().known()).isFalse();
        assertThat(warmth.warmth()).isNaN();
        assertThat(view("state")).isEqualTo("no_probes");
        assertThat(view("warmth")).isNull();
    }

    @Test
    void theExcessIsWhatTheStandbyReadsAboveThePrimary() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(warmth.excess().mean()).isCloseTo(0.98, within(1e-9));
        assertThat(warmth.warmth()).isCloseTo(0, within(1e-9));
        assertThat(view("probedShare")).isEqualTo(0.1);
        for (int i = 0; i < 200; i++) {
            pass(5, 0, 100);
        }
        assertThat(warmth.warmth()).isGreaterThan(0.98);
        assertThat(String.valueOf(warmth.where()))
                .contains("rule=rest", "table=shop.orders", "digest=0000000000000abc");
    }

    /** 4 of 18 statements are writes with 2 pages, the queries read 0.2 on both servers: as warm as the primary. */
    @Test
    void theReadsOfWritesAreNoExcessAndNoFloor() {
        Floor writing = new Floor();
        writing.saw(new ServerCounters(0, 0, 0, 10, 0), (second - 5) * 1_000_000_000L);
        writing.saw(new ServerCounters(1080, 1400, 400, 15, 0), second * 1_000_000_000L);
        for (int i = 0; i < 20; i++) {
            second++;
            uptime++;
            executed += 280;
            for (int probe = 0; probe < 5; probe++) {
                probe(ProbeResult.counted(probe == 0 ? 1 : 0));
            }
            warmth.update(
                    state(reads, uptime),
                    false,
                    writing,
                    new Compared(new Estimate(0.2, 0.19, 0.21, 7), Double.NaN, 0, 0),
                    executed,
                    SETTINGS,
                    second * 1_000_000_000L);
        }
        assertThat(warmth.excess().mean()).isCloseTo(0, within(0.02));
    }

    @Test
    void aRestartForgetsWhatWasMeasured() {
        for (int i = 0; i < 200; i++) {
            pass(5, 0, 100);
        }
        assertThat(warmth.warmth()).isEqualTo(1);
        uptime = 3;
        reads = 0;
        pass(0, 0, 100);
        assertThat(warmth.restarted()).isTrue();
        assertThat(warmth.warmth()).isNaN();
        for (int i = 0; i < 10; i++) {
            pass(5, 2, 100);
        }
        assertThat(warmth.restarted()).isFalse();
        assertThat(warmth.warmth()).isCloseTo(0, within(1e-9));
        assertThat(view("referenceFrom")).isEqualTo("restart");
        assertThat(view("mirroredSinceRestart")).isEqualTo(1000L);
    }

    /** Its uptime is higher than the last one seen, but not by as much as has passed. */
    @Test
    void aRestartDuringALongOutageForgetsWhatWasMeasured() {
        uptime = 10;
        for (int i = 0; i < 200; i++) {
            pass(5, 0, 100);
        }
        assertThat(warmth.warmth()).isEqualTo(1);
        second += 600;
        uptime += 300;
        reads += 5000;
        pass(0, 0, 0);
        assertThat(warmth.restarted()).isTrue();
        assertThat(warmth.warmth()).isNaN();
        assertThat(view("mirroredSinceRestart")).isEqualTo(0L);
    }

    @Test
    void anOutageWithoutARestartForgetsNothing() {
        uptime = 10;
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        warmth.update(
                state(reads, uptime),
                false,
                floor,
                Compared.UNKNOWN,
                executed,
                SETTINGS,
                (second + 100) * 1_000_000_000L);
        assertThat(warmth.restarted()).as("the state is 100 s old").isFalse();
        second += 200;
        uptime += 200;
        pass(5, 1, 100);
        assertThat(warmth.restarted()).isFalse();
        assertThat(view("mirroredSinceRestart")).isEqualTo(2000L);
    }

    @Test
    void aStandbyWithoutCountersGetsTheGlobalOneDivided() {
        for (int i = 0; i < 12; i++) {
            probe(ProbeResult.of(Outcome.NO_COUNTERS));
        }
        for (int i = 0; i < 30; i++) {
            pass(0, 3, 100);
        }
        assertThat(warmth.probeNext()).isFalse();
        assertThat(view("method")).isEqualTo("global_counter_divided");
        assertThat(warmth.excess().mean()).isCloseTo(2.98, within(0.01));
        for (int i = 0; i < 601; i++) {
            pass(0, 3, 100);
        }
        assertThat(warmth.probeNext()).as("tried again").isTrue();
        assertThat(warmth.excess().known()).as("known meanwhile").isTrue();
        pass(1, 1, 100);
        assertThat(view("method")).as("a probe with a count").isEqualTo("probes");
    }

    /** A table of another engine than InnoDB has no counts, as a server has that counts nothing. */
    @Test
    void statementsWithoutCountersAreNoServerWithoutThem() {
        pass(10, 1, 100);
        for (int i = 0; i < 20; i++) {
            probe(ProbeResult.of(Outcome.NO_COUNTERS));
        }
        pass(0, 0, 0);
        assertThat(view("method")).isEqualTo("probes");
        assertThat(warmth.probeNext()).isTrue();
        second += 301;
        uptime += 301;
        for (int i = 0; i < 10; i++) {
            probe(ProbeResult.of(Outcome.NO_COUNTERS));
        }
        pass(0, 0, 0);
        assertThat(view("method")).as("for minutes").isEqualTo("global_counter_divided");
    }

    private @Nullable Object capacity() {
        return ((Map<?, ?>) Objects.requireNonNull(view("forecast"))).get("capacity");
    }

    /** A scan by a backup reads pages in their order, hundreds of times as fast as statements do. */
    @Test
    void theReadsOfOthersAreNoMeasureOfTheDisk() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(capacity()).isEqualTo(100L);
        reads += 20_000;
        pass(5, 1, 100);
        assertThat(warmth.readsPerSecond()).isEqualTo(20_100);
        assertThat(capacity()).isEqualTo(100L);
        pass(5, 1, 150);
        assertThat(capacity()).isEqualTo(150L);
    }

    /** A second of the primary's 1,000 queries, of which so many pass this proxy, and rules mirror so many. */
    private void covered(int relayed, int statements) {
        floor.relayed(relayed);
        warmth.covered(statements, statements / 10.0, floor, 1);
        pass(5, 0, statements / 10);
    }

    /** Each of two proxies mirrors all that passes it: a random half of the same load. */
    @Test
    void whatPassesAnotherProxyIsNoMissingPart() {
        for (int i = 0; i < 120; i++) {
            covered(500, 500);
        }
        assertThat(view("state")).isEqualTo("known");
        assertThat(view("why")).isNull();
        assertThat(warmth.warmth()).isEqualTo(1);
        assertThat(view("coveredShare")).isEqualTo(1.0);
        assertThat(view("relayedShare"))
                .asInstanceOf(InstanceOfAssertFactories.DOUBLE)
                .isCloseTo(0.5, within(0.01));
    }

    /** The primary's page reads are those of what others send it. */
    @Test
    void thePagesOfVeryFewQueriesAreNotComparedWithThoseOfAll() {
        for (int i = 0; i < 120; i++) {
            covered(30, 30);
        }
        assertThat(view("state")).isEqualTo("little_relayed");
        assertThat(String.valueOf(view("why"))).contains("relayedShare");
        assertThat(warmth.warmth()).isNaN();
        assertThat(warmth.excess().known()).isFalse();
        for (int i = 0; i < 120; i++) {
            covered(200, 200);
        }
        assertThat(view("state")).isEqualTo("known");
    }

    /** Half of the primary's 1,000 queries a second match no rule, and may read nothing, or twice as much. */
    @Test
    void thePagesOfAPartOfTheQueriesAreNotComparedWithThoseOfAll() {
        for (int i = 0; i < 60; i++) {
            covered(1000, 500);
        }
        assertThat(view("state")).isEqualTo("partly_mirrored");
        assertThat(String.valueOf(view("why"))).contains("coveredShare");
        assertThat(view("coveredShare"))
                .asInstanceOf(InstanceOfAssertFactories.DOUBLE)
                .isCloseTo(0.5, within(0.01));
        assertThat(warmth.warmth()).isNaN();
        assertThat(warmth.excess().known()).isFalse();
        assertThat(view("excessPages"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("estimate", null)
                .doesNotContainEntry("low", null)
                .doesNotContainEntry("high", null);
        for (int i = 0; i < 60; i++) {
            covered(1000, 1000);
        }
        assertThat(view("state")).isEqualTo("known");
    }

    /** After a restart of the proxy, say: what then is the highest excess so far is noise. */
    @Test
    void aWarmStandbyIsNotColdByTheNoiseOfItsFirstProbes() {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 60; i++) {
            second++;
            uptime++;
            primaryReads();
            for (int probe = 0; probe < 5; probe++) {
                probe(ProbeResult.counted(random.nextInt(25) == 0 ? 1 : 0));
            }
            warmth.update(
                    state(reads, uptime), false, floor, Compared.UNKNOWN, executed, SETTINGS, second * 1_000_000_000L);
            boolean within = warmth.excess().mean() <= 0.1;
            Double expected = warmth.excess().known() && within ? 1 : Double.NaN;
            assertThat((Double) warmth.warmth()).as("%s", warmth.excess()).isEqualTo(expected);
            assertThat(view("state"))
                    .isEqualTo(!warmth.excess().known() ? "no_probes" : within ? "known" : "uncertain");
        }
        assertThat(view("reference")).isNull();
    }

    /** A report that reads thousands of pages now and then: the interval has everything in it. */
    @Test
    void anIntervalFromColdToWarmIsNoScore() {
        for (int i = 0; i < 20; i++) {
            pass(2, 0, 100);
            probe(ProbeResult.counted(i == 9 ? 100 : 0));
        }
        pass(2, 0, 100);
        assertThat(warmth.excess().low()).isNegative();
        assertThat(warmth.excess().high()).isGreaterThan(1);
        assertThat(warmth.warmth()).isNaN();
        assertThat(view("state")).isEqualTo("uncertain");
    }

    /** What takes too long to be counted may have read any number of pages. */
    @Test
    void probesThatTakeTooLongLeaveNoUpperBound() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        probe(ProbeResult.of(Outcome.TIMEOUT));
        pass(5, 1, 100);
        assertThat(view("state")).as("one").isEqualTo("known");
        for (int i = 0; i < 5; i++) {
            probe(ProbeResult.of(Outcome.TIMEOUT));
        }
        pass(5, 1, 100);
        assertThat(view("state")).isEqualTo("timeouts");
        assertThat(warmth.excess().mean()).isCloseTo(0.98, within(1e-9));
        assertThat(warmth.excess().high()).isInfinite();
        assertThat(warmth.warmth()).isNaN();
        assertThat(view("timedOutShare"))
                .asInstanceOf(InstanceOfAssertFactories.DOUBLE)
                .isBetween(0.04, 0.1);
        assertThat(view("excessPages"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("high", null);
        assertThat(view("forecast")).asInstanceOf(InstanceOfAssertFactories.MAP).containsEntry("excessFirst1000", null);
        assertThat(String.valueOf(warmth.where().get("digests"))).contains("high=null");
        for (int i = 0; i < 60; i++) {
            pass(5, 1, 100);
        }
        assertThat(view("state")).as("a minute later").isEqualTo("known");
    }

    @Test
    void aStandbyOnWhichAllProbesTakeTooLongIsUnknownForThatReason() {
        for (int i = 0; i < 20; i++) {
            probe(ProbeResult.of(Outcome.TIMEOUT));
            pass(0, 0, 5);
        }
        assertThat(view("state")).isEqualTo("timeouts");
        assertThat(String.valueOf(warmth.where().get("digests"))).contains("digest=0000000000000abc, estimate=null");
        second += 301;
        uptime += 301;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("no_probes");
    }

    @Test
    void aProbeTooManyIsSaidToBe() {
        Probed probe = new Probed("rest", 1, 1, null, List.of(ORDERS), ProbeResult.counted(1), second);
        int taken = 0;
        while (warmth.ended(probe)) {
            taken++;
        }
        assertThat(taken).isEqualTo(1024);
        pass(0, 0, 0);
        assertThat(warmth.ended(probe)).isTrue();
    }

    @Test
    void anUnreachableStandbyIsUnknown() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        second++;
        warmth.update(
                new StandbyState(false, false, null, false, -1, "gone"),
                false,
                floor,
                Compared.UNKNOWN,
                executed,
                SETTINGS,
                second * 1_000_000_000L);
        assertThat(warmth.warmth()).isNaN();
        assertThat(view("state")).isEqualTo("unreachable");
    }

    @Test
    void oldProbesSayNothingAboutToday() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(view("lastProbeSeconds")).isEqualTo(0L);
        second += 60;
        uptime += 60;
        pass(0, 0, 0);
        assertThat(view("lastProbeSeconds")).isEqualTo(61L);
        second += 241;
        uptime += 241;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("no_recent_probes");
        assertThat(warmth.warmth()).isNaN();
    }

    /** As of a backup while the mirror pauses: it evicts what the probes have seen. */
    @Test
    void probesSayNothingOnceOthersHaveReadManyPages() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        reads += 999;
        second += 25;
        uptime += 25;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("known");
        reads += 13_000;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("no_recent_probes");
        assertThat(view("excess")).isNull();
        assertThat(warmth.warmth()).isNaN();
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(view("state")).isEqualTo("known");
    }

    /** A row of a table that nobody has read for minutes has no figure any more. */
    @Test
    void oldRowsHaveNoFigure() {
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(String.valueOf(warmth.where().get("tables"))).contains("table=shop.orders, estimate=1.0");
        second += 301;
        uptime += 301;
        pass(0, 0, 0);
        assertThat(String.valueOf(warmth.where().get("tables"))).contains("table=shop.orders, estimate=null");
    }

    @Test
    void aClockOfTheStandbyThatIsSetBackChangesNothing() {
        reads = 10_000;
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        uptime -= 3000;
        pass(5, 1, 100);
        assertThat(warmth.restarted()).isFalse();
        assertThat(view("mirroredSinceRestart")).isEqualTo(2000L);
        assertThat(warmth.readsPerSecond()).isEqualTo(100);
        pass(5, 1, 100);
        assertThat(warmth.readsPerSecond()).isEqualTo(100);
    }

    @Test
    void aFormerPrimaryIsKnownToBeOneUntilProbesMeasureIt() {
        primary = true;
        pass(0, 0, 0);
        primary = false;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("was_primary");
        for (int i = 0; i < 20; i++) {
            pass(5, 1, 100);
        }
        assertThat(view("state")).isEqualTo("known");
        primary = true;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("is_primary");
        assertThat(warmth.warmth()).isNaN();
        assertThat(warmth.excess().known()).as("against itself").isFalse();
        primary = false;
        pass(0, 0, 0);
        assertThat(view("state")).as("what was measured before says nothing").isEqualTo("was_primary");
        second += 301;
        uptime += 301;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("no_probes");
    }

    @Test
    void aFormerPrimaryThatHasRestartedIsUnknown() {
        primary = true;
        pass(0, 0, 0);
        primary = false;
        uptime = 0;
        pass(0, 0, 0);
        assertThat(view("state")).isEqualTo("no_probes");
    }

    @Test
    void rowsAreBounded() {
        for (int i = 0; i < 3000; i++) {
            warmth.ended(new Probed(
                    "rest", i, 1, null, List.of(new TableName("s", "t" + i)), ProbeResult.counted(1), second));
            if (i % 500 == 0) {
                pass(0, 0, 0);
            }
        }
        pass(0, 0, 0);
        assertThat((List<?>) warmth.where().get("tables")).hasSize(20);
        assertThat(view("excessPages"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .extractingByKey("estimate")
                .isNotNull();
    }
}
