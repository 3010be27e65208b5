package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

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
        Random random = new Random(seed);
        DomainIndexes indexes = new DomainIndexes(0);
        for (int domain = 1; domain < DOMAINS; domain++) {
            indexes.assign(domain * 10L);
        }
        Progress progress = new Progress(indexes);
        TableOwnership ownership = new TableOwnership(
                progress,
                new TableOwnership.Scope(100, false, true),
                table -> true,
                (kind, table, digest, index, otherDigest, other) -> {},
                null,
                null);
        long[] committed = new long[DOMAINS];
        long[][] applied = new long[2][DOMAINS];
        Map<String, List<Write>> written = new HashMap<>();
        InFlight[] sessions = new InFlight[SESSIONS];
        int leftDefault = 0;
        long ended = -1;
        GtidPosition primary = null;
        for (int step = 0; step < 3000; step++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    int session = random.nextInt(SESSIONS);
                    if (sessions[session] == null) {
                        String table = "s.t" + random.nextInt(TABLES);
                        PendingWrite pending = ownership.decide(
                                new TableEntry[] {ownership.entry(table)},
                                random.nextInt(DOMAINS),
                                true,
                                Work.TABLES,
                                step);
                        sessions[session] = new InFlight(pending, table);
                    } else {
                        InFlight done = sessions[session];
                        int domain = done.pending().index();
                        leftDefault += domain == 0 ? 0 : 1;
                        Write write = new Write(domain, ++committed[domain]);
                        List<Write> earlier = written.computeIfAbsent(done.table(), t -> new ArrayList<>());
                        for (Write other : earlier) {
                            for (long[] standby : applied) {
                                assertThat(other.domain() == domain || standby[other.domain()] >= other.sequence())
                                        .as("step %d: %s in %s after %s", step, done.table(), write, other)
                                        .isTrue();
                            }
                        }
                        earlier.add(write);
                        done.pending().release();
                        sessions[session] = null;
                    }
                }
                case 2, 3 -> {
                    int standby = random.nextInt(2);
                    int domain = random.nextInt(DOMAINS);
                    if (applied[standby][domain] < committed[domain]) {
                        applied[standby][domain]++;
                    }
                }
                case 4 -> {
                    // The poller in two steps, so that writes come in between.
                    if (primary == null) {
                        ended = progress.endEpoch();
                        primary = position(committed);
                    } else {
                        progress.reached(ended, primary);
                        progress.standbysAt(List.of(position(applied[0]), position(applied[1])));
                        primary = null;
                    }
                }
                default -> {
                    for (int domain = 0; domain < DOMAINS; domain++) {
                        int standby = random.nextInt(2);
                        applied[standby][domain] = Math.max(applied[standby][domain], committed[domain] - 1);
                    }
                }
            }
        }
        assertThat(leftDefault).as("writes that left the default domain").isPositive();
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
