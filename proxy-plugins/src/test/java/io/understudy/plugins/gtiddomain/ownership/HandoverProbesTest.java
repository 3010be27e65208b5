package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.PositionProber;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The test decides when bursts run and how time passes. */
class HandoverProbesTest {
    private static final long MILLI = 1_000_000L;

    private final DomainIndexes indexes = new DomainIndexes(0);
    private final Progress progress = new Progress(indexes);
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Set<String> notAdmitted = new HashSet<>();
    private int probeCount;
    private final WaitingTables waiting;
    private final TableOwnership ownership;
    private long now = -5_000_000_000L;
    private long sequence;
    /** Runs between the primary's response and the standby's. */
    private Runnable duringProbe = () -> now += 2 * MILLI;
    /** The standby's position in the default domain; in the other domains it has applied everything. */
    private LongSupplier standby = () -> sequence;

    private boolean failing;
    private LongConsumer passing = nanos -> now += nanos;

    private final HandoverProbes probes;

    HandoverProbesTest() {
        indexes.assign(10);
        indexes.assign(11);
        waiting = new WaitingTables(progress, () -> now, () -> 0);
        ownership = new TableOwnership(
                progress,
                new TableOwnership.Scope(100, false, true),
                table -> !notAdmitted.contains(table),
                (kind, table, digest, index, otherDigest, other) -> {},
                waiting,
                null);
        probes = new HandoverProbes(
                waiting, progress, this::open, tasks::add, () -> now, nanos -> passing.accept(nanos));
        probe();
    }

    private PositionProber open() throws SQLException {
        if (failing) {
            throw new SQLException("nobody there");
        }
        return new PositionProber() {
            @Override
            public void probe() {
                probeCount++;
                HandoverProbesTest.this.probe();
            }

            @Override
            public void close() {}
        };
    }

    private void probe() {
        long ended = progress.endEpoch();
        progress.reached(ended, new GtidPosition(Map.of(0L, sequence, 10L, sequence)));
        duringProbe.run();
        long applied = standby.getAsLong();
        progress.standbysAt(List.of(new GtidPosition(Map.of(0L, applied, 10L, sequence))));
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

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void aPinnedWriteCausesProbesUntilItsTableIsFree() {
        TableEntry[] table = tables("s.a");
        write(0, table);
        assertThat(tasks).isEmpty();

        assertThat(write(1, table)).isZero();
        assertThat(write(1, table)).isZero();
        assertThat(tasks).hasSize(1);
        runTasks();

        assertThat(probeCount).isEqualTo(1);
        assertThat(waiting.size()).isZero();
        assertThat(write(1, table)).isEqualTo(1);
        assertThat(waiting.handovers()).isEqualTo(1);
        assertThat(probes.bursts()).isEqualTo(1);
        assertThat(probes.probes()).isEqualTo(1);
    }

    @Test
    void noProbeWhileTheTableHasAWriteInFlight() {
        TableEntry[] table = tables("s.a");
        PendingWrite inFlight = ownership.decide(table, 0, true, Work.TABLES, 1);
        write(1, table);
        runTasks();

        assertThat(probeCount).isZero();
        assertThat(probes.bursts()).isEqualTo(1);
        inFlight.release();
    }

    @Test
    void aStatementsTablesMustBeFreeTogether() {
        TableEntry[] both = tables("s.a", "s.b");
        write(0, both);
        Queue<TableEntry> writtenInTurn = new ArrayDeque<>(List.of(both));
        duringProbe = () -> {
            now += 2 * MILLI;
            TableEntry next = writtenInTurn.poll();
            if (next != null) {
                write(0, next);
            }
        };
        write(1, both);
        runTasks();

        assertThat(probeCount).isEqualTo(3);
        assertThat(write(1, both)).isEqualTo(1);
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

        assertThat(tasks).isEmpty();
    }

    @Test
    void aLaggingStandbyEndsTheBurst() {
        TableEntry[] slow = tables("s.slow");
        write(0, slow);
        standby = () -> 0;
        write(1, slow);
        runTasks();
        assertThat(probeCount).isEqualTo(25);
        assertThat(write(1, slow)).isZero();

        standby = () -> sequence;
        now += 300 * MILLI;
        write(1, slow);
        runTasks();
        assertThat(probeCount).isEqualTo(26);
        assertThat(write(1, slow)).isEqualTo(1);
    }

    @Test
    void aLaterProbeFindsWhatIsAppliedLater() {
        TableEntry[] table = tables("s.a");
        write(0, table);
        write(1, table);
        long last = sequence;
        long appliedAt = now + 9 * MILLI;
        standby = () -> now >= appliedAt ? last : last - 1;
        runTasks();

        assertThat(probeCount).isEqualTo(5);
        assertThat(write(1, table)).isEqualTo(1);
    }

    @Test
    void aTableThatIsNeverFreeIsProbedLessAndLessOften() {
        TableEntry[] table = tables("s.a");
        duringProbe = () -> {
            now += 2 * MILLI;
            write(0, table);
        };
        write(0, table);
        List<Long> at = new ArrayList<>();
        long end = now + 600_000 * MILLI;
        while (now - end < 0) {
            write(1, table);
            if (!tasks.isEmpty()) {
                at.add(now);
                runTasks();
            }
            now += 5 * MILLI;
        }

        assertThat(at.size()).isBetween(10, 20);
        long last = at.get(at.size() - 1) - at.get(at.size() - 2);
        assertThat(last).isBetween(60_000 * MILLI, 60_500 * MILLI);
        assertThat(probes.probes()).isEqualTo(at.size() * 100L);
    }

    @Test
    void manyTablesTogetherCauseProbesForABoundedShareOfTheTime() {
        duringProbe = () -> now += 2 * MILLI;
        long end = now + 60_000 * MILLI;
        long busy = 0;
        for (int i = 0; now - end < 0; i++) {
            // Always other tables, so that a free place is taken again at once.
            TableEntry[] table = tables("s.t" + i % 90);
            write(0, table);
            write(1, table);
            long before = now;
            runTasks();
            busy += now - before;
            now += MILLI;
        }

        assertThat(busy / (60_000.0 * MILLI)).isBetween(0.01, 0.21);
    }

    @Test
    void afterAFailedProbeTheNextIsLater() {
        failing = true;
        TableEntry[] table = tables("s.a");
        write(0, table);
        write(1, table);
        runTasks();
        write(1, table);
        assertThat(tasks).isEmpty();

        failing = false;
        now += 300 * MILLI;
        write(1, table);
        runTasks();
        assertThat(write(1, table)).isEqualTo(1);
    }

    /**
     * Several sessions write one table at random times, on average a thousand times a second; a write takes 0.5 ms, a
     * standby applies it 1.5 ms later, a probe takes 0.4 ms; the poller runs every 250 ms.
     */
    @Test
    void aBusyTableIsHandedOverInAPauseThatThePollerMisses() {
        double polled = 0;
        double quick = 0;
        int runs = 40;
        for (int seed = 0; seed < runs; seed++) {
            polled += new HandoverProbesTest().millisUntilPassed(seed, false) / (double) runs;
            quick += new HandoverProbesTest().millisUntilPassed(seed, true) / (double) runs;
        }
        assertThat(quick).as("mean of milliseconds").isLessThan(150);
        assertThat(polled).isGreaterThan(10 * quick);
    }

    private long millisUntilPassed(int seed, boolean quick) {
        TableEntry[] table = tables("s.a");
        write(0, table);
        World world = new World(new Random(seed), table, 1_000);
        duringProbe = () -> world.advance(now + 400_000L);
        passing = nanos -> world.advance(now + nanos);
        standby = () -> world.sequenceAt(now - 1_500_000L);
        long started = now;
        for (int i = 1; world.passed == 0 && i <= 60_000; i++) {
            world.advance(now + MILLI);
            if (quick) {
                runTasks();
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
        private final double perNano;
        private final Queue<PendingWrite> inFlight = new ArrayDeque<>();
        private final Queue<Long> responses = new ArrayDeque<>();
        private final Queue<Long> applying = new ArrayDeque<>();
        private long applied;
        private long next;
        int passed;

        World(Random random, TableEntry[] table, int perSecond) {
            this.random = random;
            this.table = table;
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
