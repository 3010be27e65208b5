package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Checks the guard against a model of a primary and two standbys: sessions write tables in the domains that it decides,
 * each standby applies each domain's writes in order but the domains in any order. Whenever a write of a table commits,
 * every standby must have applied all of the table's writes in other domains.
 */
class OwnershipProperties {
    private static final int DOMAINS = 4;
    private static final int SESSIONS = 6;
    private static final int TABLES = 3;

    private record Write(int domain, long sequence) {}

    private record InFlight(PendingWrite pending, String table) {}

    @Property(tries = 60)
    void pinKeepsATablesWritesInOrder(@ForAll long seed) {
        Model model = new Model(seed);
        for (int step = 0; step < 3000; step++) {
            model.step(false);
        }
        assertThat(model.conflicts).isZero();
        assertThat(model.leftDefault).as("writes that left the default domain").isPositive();
    }

    /**
     * A standby is restored between two probes. From the next one on a table stays where its writes are that the
     * standby applies again, unless they already are in two domains, which is counted.
     */
    @Example
    void aTableFollowsWhatAStandbyAppliesAgain() {
        int followed = 0;
        for (long seed = 0; seed < 20; seed++) {
            Model model = new Model(seed);
            for (int step = 0; step < 3000; step++) {
                model.step(step % 200 > 150);
            }
            followed += model.keptByOldWrites;
        }
        assertThat(followed).as("writes that followed what is applied again").isPositive();
    }

    /**
     * Another writer writes the same tables in any domain, also while the guard still waits for what was before it. The
     * log shows each write at once. From then on a session's write goes to the domain that some standby has not
     * applied, unless there are two, which is counted.
     */
    @Example
    void aTableFollowsWhatTheLogShows() {
        int followed = 0;
        for (long seed = 0; seed < 40; seed++) {
            Model model = new Model(seed);
            model.ownership.inheritance.hold();
            for (int step = 0; step < 2000; step++) {
                if (step == 100) {
                    model.ownership.inheritance.free();
                }
                model.writesDirectly();
                model.step(false);
            }
            followed += model.followedLog;
        }
        assertThat(followed).as("writes that followed a logged one").isPositive();
    }

    /** Two standbys, of which one may go back. */
    private static final class Model {
        private final Random random;
        private final Progress progress;
        private final TableOwnership ownership;
        private final long[] committed = new long[DOMAINS];
        private final long[][] applied = new long[2][DOMAINS];
        /** As of the last probe. */
        private final long[][] seen = new long[2][DOMAINS];

        private final long[] mostSeen = new long[DOMAINS];
        private final Map<String, List<Write>> written = new HashMap<>();
        private final @Nullable InFlight[] sessions = new InFlight[SESSIONS];
        private @Nullable GtidPosition primary;
        private boolean asked;
        private boolean wentBack;
        /** Whether another writer has written, in an order that no guard decides. */
        private boolean wroteDirectly;

        private int tick;
        int followedLog;
        int leftDefault;
        int conflicts;
        int keptByOldWrites;

        Model(long seed) {
            random = new Random(seed);
            DomainIndexes indexes = new DomainIndexes(0);
            for (int domain = 1; domain < DOMAINS; domain++) {
                indexes.assign(domain * 10L);
            }
            progress = new Progress(indexes);
            ownership = new TableOwnership(
                    progress,
                    new TableOwnership.Scope(100, false, true),
                    table -> true,
                    met -> conflicts += met.kind().unsafe() ? 1 : 0,
                    null,
                    null);
        }

        void step(boolean goesBack) {
            tick++;
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    int session = random.nextInt(SESSIONS);
                    InFlight done = sessions[session];
                    sessions[session] = done == null ? begins() : null;
                    if (done != null) {
                        ends(done);
                    }
                }
                case 2, 3 -> {
                    int standby = random.nextInt(2);
                    int domain = random.nextInt(DOMAINS);
                    if (applied[standby][domain] < committed[domain]) {
                        applied[standby][domain]++;
                    }
                }
                case 4 -> probe();
                default -> {
                    for (int domain = 0; domain < DOMAINS; domain++) {
                        int standby = random.nextInt(2);
                        applied[standby][domain] = Math.max(applied[standby][domain], committed[domain] - 1);
                    }
                    if (goesBack && random.nextInt(4) == 0) {
                        int domain = random.nextInt(DOMAINS);
                        applied[1][domain] = Math.max(0, applied[1][domain] - random.nextInt(8));
                        wentBack = true;
                    }
                }
            }
        }

        private String anyTable() {
            return "s.t" + tick / 500 + "_" + random.nextInt(TABLES);
        }

        /** One step in eight: a write past the proxy. */
        void writesDirectly() {
            if (random.nextInt(8) == 0) {
                wroteDirectly = true;
                String table = anyTable();
                int domain = random.nextInt(DOMAINS);
                Write write = new Write(domain, ++committed[domain]);
                written.computeIfAbsent(table, t -> new ArrayList<>()).add(write);
                ownership.logged.observe(List.of(table), domain * 10L, domain, write.sequence());
            }
        }

        private InFlight begins() {
            String table = anyTable();
            int unapplied = unappliedDomains(table);
            int before = conflicts;
            PendingWrite pending = ownership.decide(
                    new TableEntry[] {ownership.entry(table)}, random.nextInt(DOMAINS), true, Work.TABLES, tick);
            if (conflicts == before) {
                assertThat(unapplied & ~(1 << pending.index()))
                        .as("step %d: domains of %s that some standby has not applied", tick, table)
                        .isZero();
                followedLog += wroteDirectly && unapplied != 0 && pending.index() != 0 ? 1 : 0;
            }
            return new InFlight(pending, table);
        }

        /**
         * Returns the domains of the table's writes in flight, and of those that some standby had not by the last
         * probe.
         */
        private int unappliedDomains(String table) {
            int domains = 0;
            for (InFlight other : sessions) {
                if (other != null && other.table().equals(table)) {
                    domains |= 1 << other.pending().index();
                }
            }
            boolean old = false;
            for (Write write : written.getOrDefault(table, List.of())) {
                if (Math.min(seen[0][write.domain()], seen[1][write.domain()]) < write.sequence()) {
                    domains |= 1 << write.domain();
                    old |= mostSeen[write.domain()] >= write.sequence();
                }
            }
            keptByOldWrites += old && Integer.bitCount(domains) == 1 ? 1 : 0;
            return domains;
        }

        private void ends(InFlight done) {
            int domain = done.pending().index();
            leftDefault += domain == 0 ? 0 : 1;
            Write write = new Write(domain, ++committed[domain]);
            List<Write> earlier = written.computeIfAbsent(done.table(), t -> new ArrayList<>());
            for (Write other : earlier) {
                for (long[] standby : applied) {
                    if (!wentBack
                            && !wroteDirectly
                            && other.domain() != domain
                            && standby[other.domain()] < other.sequence()) {
                        fail("step %d: %s in %s after %s", tick, done.table(), write, other);
                    }
                }
            }
            earlier.add(write);
            done.pending().release();
        }

        /** The poller in steps, so that writes end while it queries; one query in eight fails. */
        private void probe() {
            if (!asked) {
                progress.ask();
                asked = true;
            } else if (primary == null) {
                primary = position(committed);
            } else {
                if (random.nextInt(8) != 0) {
                    progress.answer(primary);
                }
                progress.standbysAt(List.of(position(applied[0]), position(applied[1])));
                ownership.settle();
                for (int domain = 0; domain < DOMAINS; domain++) {
                    seen[0][domain] = applied[0][domain];
                    seen[1][domain] = applied[1][domain];
                    mostSeen[domain] = Math.max(mostSeen[domain], Math.min(seen[0][domain], seen[1][domain]));
                }
                primary = null;
                asked = false;
            }
        }
    }

    private static GtidPosition position(long[] sequences) {
        Map<Long, Long> position = new HashMap<>();
        for (int domain = 0; domain < DOMAINS; domain++) {
            if (sequences[domain] > 0) {
                position.put(domain * 10L, sequences[domain]);
            }
        }
        return new GtidPosition(position);
    }
}
