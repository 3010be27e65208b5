package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The test decides how time passes and what the standby has applied. */
class HandoversTest {
    private static final long MILLI = 1_000_000L;
    private static final Duration PAUSE = Duration.ofMillis(Handovers.PAUSE_MILLIS);

    private final DomainIndexes indexes = new DomainIndexes(0);
    private final Progress progress = new Progress(indexes);
    private final ManualExecutor executor = new ManualExecutor();
    private final Set<String> notAdmitted = new HashSet<>();
    private final Handovers handovers = new Handovers(executor, this::probe);
    private final TableOwnership ownership;
    private long now = -5_000_000_000L;
    private long sequence;
    /** Runs between the primary's response and the standby's. */
    private Runnable duringProbe = () -> now += 2 * MILLI;
    /** The standby's position in the default domain; in the other domains it has applied everything. */
    private LongSupplier standby = () -> sequence;

    HandoversTest() {
        indexes.assign(10);
        indexes.assign(11);
        ownership = new TableOwnership(
                progress,
                new TableOwnership.Scope(100, false, true),
                table -> !notAdmitted.contains(table),
                met -> {},
                handovers,
                null);
        probe();
    }

    private void probe() {
        progress.ask();
        progress.answer(new GtidPosition(Map.of(0L, sequence, 10L, sequence)));
        duringProbe.run();
        long applied = standby.getAsLong();
        progress.standbysAt(List.of(new GtidPosition(Map.of(0L, applied, 10L, sequence))));
        ownership.settle();
    }

    private TableEntry[] tables(String... names) {
        TableEntry[] entries = new TableEntry[names.length];
        for (int i = 0; i < names.length; i++) {
            entries[i] = ownership.entry(names[i]);
        }
        return entries;
    }

    /** Begins and ends a write whose rule wants a domain; returns the index of the domain where it went. */
    private int write(int wanted, TableEntry... entries) {
        PendingWrite pending = ownership.decide(entries, wanted, true, Work.TABLES, 1);
        sequence++;
        pending.release();
        return pending.index();
    }

    @Test
    void writesThatWaitCauseOneProbeHoweverManyDo() {
        standby = () -> 0;
        write(0, tables("s.a"));
        write(0, tables("s.b"));
        for (int i = 0; i < 100; i++) {
            assertThat(write(1, tables("s.a"))).isZero();
            assertThat(write(1, tables("s.b"))).isZero();
        }
        assertThat(handovers.probes()).as("not on the session's thread").isZero();
        executor.runReady();
        assertThat(handovers.probes()).isEqualTo(1);
        executor.advance(PAUSE.multipliedBy(10));
        assertThat(handovers.probes()).as("nobody has waited since").isEqualTo(1);
    }

    @Test
    void theProbeFreesTheTableForItsNextWrite() {
        write(0, tables("s.a"));
        assertThat(write(1, tables("s.a"))).isZero();
        executor.advance(PAUSE);

        assertThat(write(1, tables("s.a"))).isEqualTo(1);
        assertThat(handovers.count()).isEqualTo(1);
    }

    /** Such a moment is the only one in which the table could become free. */
    @Test
    void theProbeComesWhenTheLastWriteInFlightHasEnded() {
        TableEntry[] table = tables("s.a");
        PendingWrite first = ownership.decide(table, 0, true, Work.TABLES, 1);
        PendingWrite second = ownership.decide(table, 1, true, Work.TABLES, 1);
        first.release();
        executor.runReady();
        assertThat(handovers.probes()).isZero();

        second.release();
        executor.runReady();
        assertThat(handovers.probes()).isEqualTo(1);
        assertThat(write(1, table)).isEqualTo(1);
    }

    /** Behind a standby that is late. */
    @Test
    void aTableThatIsNeverFreeCausesABoundedNumberOfProbes() {
        standby = () -> 0;
        write(0, tables("s.a"));
        for (int milli = 0; milli < 1_000; milli++) {
            write(1, tables("s.a"));
            executor.advance(Duration.ofMillis(1));
        }
        assertThat(handovers.probes()).isBetween(40L, 50L);
    }

    @Test
    void afterAFailedProbeTheNextWriteCausesOne() {
        write(0, tables("s.a"));
        duringProbe = () -> {
            throw new IllegalStateException("nobody there");
        };
        write(1, tables("s.a"));
        executor.advance(PAUSE);
        duringProbe = () -> {};
        write(1, tables("s.a"));
        executor.advance(PAUSE);

        assertThat(handovers.probes()).isEqualTo(2);
        assertThat(write(1, tables("s.a"))).isEqualTo(1);
    }

    @Test
    void afterTheEndNothingIsScheduled() {
        write(0, tables("s.a"));
        executor.shutdownNow();

        assertThat(write(1, tables("s.a"))).isZero();
        assertThat(handovers.probes()).isZero();
    }

    @Test
    void noProbesForTablesThatCannotBeHandedOver() {
        TableEntry[] stuck = tables("s.stuck");
        ownership.force(stuck, 0, Conflict.TRANSACTION, Work.TABLES, 1, true).release();
        write(1, stuck);
        notAdmitted.add("s.odd");
        write(0, tables("s.odd"));
        write(1, tables("s.odd"));
        write(1, tables("s.back"));
        write(0, tables("s.back"));
        write(0, tables("s.two"));
        write(1, tables("s.other"));
        write(2, tables("s.two", "s.other"));

        executor.advance(PAUSE);
        assertThat(handovers.probes()).isZero();
    }

    /**
     * Several sessions write one table at random times, on average a thousand times a second; a write takes 0.5 ms, a
     * standby applies it 1.5 ms later, for which a probe waits, and takes 0.4 ms itself; the poller runs every 250 ms.
     */
    @Test
    void aBusyTableIsHandedOverInAPauseThatThePollerMisses() {
        double polled = 0;
        double quick = 0;
        int runs = 40;
        for (int seed = 0; seed < runs; seed++) {
            polled += new HandoversTest().millisUntilPassed(seed, false) / (double) runs;
            quick += new HandoversTest().millisUntilPassed(seed, true) / (double) runs;
        }
        assertThat(quick).as("mean of milliseconds").isLessThan(250);
        assertThat(polled).isGreaterThan(10 * quick);
    }

    private long millisUntilPassed(int seed, boolean quick) {
        TableEntry[] table = tables("s.a");
        write(0, table);
        World world = new World(new Random(seed), table, 1_000, quick);
        duringProbe = () -> world.advance(now + 1_900_000L);
        standby = () -> world.sequenceAt(now - 1_500_000L);
        long started = now;
        for (int i = 1; world.passed == 0 && i <= 60_000; i++) {
            world.advance(now + MILLI);
            if (quick) {
                executor.advance(Duration.ofMillis(1));
            }
            if (i % 250 == 0) {
                probe();
            }
        }
        return (now - started) / MILLI;
    }

    /**
     * Sessions that write: the next write comes after an exponential pause, each is in flight for half a millisecond.
     */
    private final class World {
        private final Random random;
        private final TableEntry[] table;
        private final boolean quick;
        private final double perNano;
        private final Queue<PendingWrite> inFlight = new ArrayDeque<>();
        private final Queue<Long> responses = new ArrayDeque<>();
        private final Queue<Long> applying = new ArrayDeque<>();
        private long applied;
        private long next;
        int passed;

        World(Random random, TableEntry[] table, int perSecond, boolean quick) {
            this.random = random;
            this.table = table;
            this.quick = quick;
            perNano = perSecond / 1e9;
            next = now;
        }

        /** Returns the sequence number in the default domain; called with increasing times. */
        long sequenceAt(long time) {
            for (Long at = applying.peek(); at != null && at <= time; at = applying.peek()) {
                applying.remove();
                applied++;
            }
            return applied + 1;
        }

        void advance(long until) {
            while (true) {
                long response = responses.isEmpty() ? Long.MAX_VALUE : responses.peek();
                if (Math.min(response, next) > until) {
                    break;
                }
                if (response <= next) {
                    now = Math.max(now, response);
                    responses.remove();
                    sequence++;
                    applying.add(response);
                    inFlight.remove().release();
                    if (quick) {
                        executor.runReady();
                    }
                } else {
                    now = Math.max(now, next);
                    PendingWrite pending = ownership.decide(table, 1, true, Work.TABLES, 1);
                    passed += pending.index() == 1 ? 1 : 0;
                    inFlight.add(pending);
                    responses.add(now + MILLI / 2);
                    next += (long) (-Math.log(1 - random.nextDouble()) / perNano);
                }
            }
            now = Math.max(now, until);
        }
    }
}
