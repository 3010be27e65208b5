package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.Meter;
import io.understudy.metrics.CoreMetrics;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notices state changes by comparing the meters of two moments, and writes them to the {@link RecentEvents}. A counter
 * that should stand still becomes one event when it begins to count and one when it has stopped for a minute. That is a
 * recovery only if the same traffic has succeeded meanwhile: without traffic nothing fails either. Not thread-safe.
 */
final class EventWatch {

    private static final long QUIET_SECONDS = 60;
    private static final String UNACKNOWLEDGED = "understudy.commits.unacknowledged";
    private static final String COMMITS = "understudy_commit_seconds";
    private static final String SEMI_SYNC = "semisync";

    /** A gauge of 0 or 1, one for each value of a label. */
    private record State(String meter, @Nullable String label, int bad, String subject, String broken, String good) {}

    /** A counter; {@code expected} label values are no problem. */
    private record Count(
            String meter, String label, Set<String> expected, String subject, String text, Success success) {}

    /**
     * What counts when the same traffic goes well.
     *
     * @param value of the label, or null for all
     */
    private record Success(
            String meter, String label, @Nullable String value) {
        double counted(Meters meters) {
            if (meter.equals(COMMITS)) {
                return meters.counted(COMMITS, SEMI_SYNC, Set.of("on"));
            }
            double sum = 0;
            for (Meter one : meters.named(meter)) {
                if (value == null || value.equals(one.getId().getTag(label))) {
                    sum += Meters.value(one);
                }
            }
            return sum;
        }
    }

    private static final Success SERVED = new Success("understudy.connections", "outcome", "accepted");
    private static final Success MIRRORED = new Success("understudy.mirror.statements", "outcome", "ok");

    private static final List<State> STATES = List.of(
            new State("understudy.primary.up", null, 0, "primary", "does not respond", "responds"),
            new State(
                    "understudy.standby.up",
                    "standby",
                    0,
                    "standby",
                    "does not respond, or refuses the login",
                    "responds"),
            new State(
                    "understudy.standby.replication.stopped",
                    "standby",
                    1,
                    "standby",
                    "replication is stopped",
                    "replication runs again"),
            new State(
                    "understudy.account.broken",
                    "standby",
                    1,
                    "account",
                    "the server refuses the proxy's account; /api/primary and /api/standbys have error and remedy",
                    "the server accepts the proxy's account again"),
            new State(
                    "understudy.witness.present",
                    null,
                    0,
                    "witness",
                    "does not acknowledge; /api/witness has reason and remedy",
                    "acknowledges to the primary"),
            new State(
                    "understudy.black.box.renumbered",
                    null,
                    1,
                    "black box",
                    "what standbys have is not known since the primary's numbers began anew (RESET MASTER);"
                            + " docs/black-box.md, After RESET MASTER",
                    "what standbys have is known again"),
            new State("understudy.standby.read.only", "standby", 0, "standby", "is not read-only", "is read-only"),
            new State(
                    "understudy.config.last.reload.failed",
                    null,
                    1,
                    "configuration",
                    "the new file was refused or failed in part; /api/config has why under 'last'",
                    "the file is in force"));

    private static final List<Count> COUNTS = List.of(
            new Count("understudy.connections", "outcome", Set.of(), "clients", "connections", SERVED),
            new Count("understudy.unread.sessions", "reason", Set.of(), "clients", "sessions relayed unread", SERVED),
            new Count("understudy.observer.faults", "plugin", Set.of(), "plugins", "failures in a session", SERVED),
            new Count(
                    "understudy.mirror.dropped",
                    "reason",
                    Set.of("paused", "rate_limited"),
                    "mirror",
                    "statements dropped",
                    MIRRORED),
            new Count("understudy.mirror.statements", "outcome", Set.of(), "mirror", "statements ended with", MIRRORED),
            new Count(
                    UNACKNOWLEDGED,
                    "",
                    Set.of(),
                    "commits",
                    "without acknowledgement",
                    new Success(COMMITS, SEMI_SYNC, "on")),
            new Count(
                    "understudy.gtid.domain.conflicts",
                    "kind",
                    Set.of("pinned"),
                    "steering",
                    "conflicts of domains",
                    new Success("understudy.gtid.domain.statements", "outcome", null)));

    /** A counter that is counting. */
    private static final class Burst {
        private double before;
        private double last;
        private long lastSecond;
        /** What had gone well when the counter last rose. */
        private double successes;

        private boolean open;
        /** Whether it has stopped, but nothing has gone well since: perhaps nobody asks any more. */
        private boolean unproved;

        private boolean usual;
    }

    private final RecentEvents log;
    private final Map<String, Boolean> states = new HashMap<>();
    private final Map<String, Burst> bursts = new HashMap<>();
    private Set<String> reasons = Set.of();
    private double reloads = Double.NaN;
    private boolean begun;

    EventWatch(RecentEvents log) {
        this.log = log;
    }

    /** @param notReady why the proxy should get no new connections */
    void check(Meters meters, List<String> notReady, Instant now) {
        for (State state : STATES) {
            for (Meter meter : meters.named(state.meter())) {
                state(state, meter, now);
            }
        }
        for (Count count : COUNTS) {
            counts(count, meters, now);
        }
        ready(notReady, now);
        reloaded(meters, now);
        begun = true;
    }

    private void state(State state, Meter meter, Instant now) {
        double value = Meters.value(meter);
        if (Double.isNaN(value)) {
            return;
        }
        String name = state.label() == null ? null : meter.getId().getTag(state.label());
        String subject =
                name == null ? state.subject() : state.subject() + " " + (name.isEmpty() ? "of primary.monitor" : name);
        boolean bad = Math.round(value) == state.bad();
        Boolean before = states.put(state.meter() + "/" + name, bad);
        if (bad && !Boolean.TRUE.equals(before)) {
            log.add(now, RecentEvents.Level.PROBLEM, subject, state.broken());
        } else if (!bad && Boolean.TRUE.equals(before)) {
            log.add(now, RecentEvents.Level.RECOVERED, subject, state.good());
        }
    }

    private void counts(Count count, Meters meters, Instant now) {
        Map<String, Double> sums = new HashMap<>();
        for (Meter meter : meters.named(count.meter())) {
            String tag = count.label().isEmpty() ? null : meter.getId().getTag(count.label());
            String value = tag == null ? "" : tag;
            if (!count.expected().contains(value) && isTrouble(count, value)) {
                sums.merge(value, Meters.value(meter), Double::sum);
            }
        }
        boolean usual = isUsual(count, meters);
        sums.forEach((value, sum) -> {
            Burst burst = bursts.computeIfAbsent(count.meter() + "/" + value, key -> {
                Burst created = new Burst();
                // What was counted before the first check is older than this log.
                created.last = begun ? 0 : sum;
                return created;
            });
            if (usual) {
                burst.last = sum;
            } else {
                if (burst.usual) {
                    // Commits from before semi-sync was on that came since the last check are usual too.
                    burst.last = Math.max(burst.last, sum - meters.counted(COMMITS, SEMI_SYNC, Set.of("degraded")));
                }
                advance(count, value, burst, sum, count.success().counted(meters), now);
            }
            burst.usual = usual;
        });
    }

    /** No commit is acknowledged where semi-sync never was on. */
    private static boolean isUsual(Count count, Meters meters) {
        return count.meter().equals(UNACKNOWLEDGED)
                && meters.counted(COMMITS, SEMI_SYNC, Set.of("on", "degraded")) == 0;
    }

    /** Connections and mirrored statements are counted by outcome, and most outcomes are what should happen. */
    private static boolean isTrouble(Count count, String value) {
        return switch (count.meter()) {
            case "understudy.connections" -> CoreMetrics.NOT_SERVED.contains(value);
            case "understudy.mirror.statements" -> !value.equals("ok");
            default -> true;
        };
    }

    private void advance(Count count, String value, Burst burst, double sum, double successes, Instant now) {
        String what = count.text() + (value.isEmpty() ? "" : " (" + value.replace('_', ' ') + ")");
        if (sum < burst.last) {
            // A plugin that was started anew counts from 0.
            burst.before += sum - burst.last;
        }
        if (sum > burst.last) {
            if (!burst.open) {
                burst.open = true;
                burst.before = burst.last;
                log.add(now, RecentEvents.Level.PROBLEM, count.subject(), what + " began: " + number(sum - burst.last));
            }
            burst.unproved = false;
            burst.lastSecond = now.getEpochSecond();
            burst.successes = successes;
        } else if (burst.open && now.getEpochSecond() - burst.lastSecond >= QUIET_SECONDS) {
            burst.open = false;
            burst.unproved = successes <= burst.successes;
            String ended = number(sum - burst.before) + " in all, none for a minute";
            if (burst.unproved) {
                String unknown = "; nothing of that kind has succeeded since, so the cause may last";
                log.add(now, RecentEvents.Level.INFO, count.subject(), what + " no longer: " + ended + unknown);
            } else {
                log.add(now, RecentEvents.Level.RECOVERED, count.subject(), what + " ended: " + ended);
            }
        } else if (burst.unproved && successes > burst.successes) {
            burst.unproved = false;
            log.add(now, RecentEvents.Level.RECOVERED, count.subject(), what + " ended: others succeed again");
        }
        burst.last = sum;
    }

    private void ready(List<String> notReady, Instant now) {
        Set<String> next = new HashSet<>(notReady);
        for (String reason : next) {
            if (!reasons.contains(reason)) {
                log.add(now, RecentEvents.Level.PROBLEM, "proxy", "is not ready: " + reason);
            }
        }
        if (next.isEmpty() && !reasons.isEmpty()) {
            log.add(now, RecentEvents.Level.RECOVERED, "proxy", "is ready");
        }
        reasons = next;
    }

    private void reloaded(Meters meters, Instant now) {
        double sum = 0;
        for (Meter meter : meters.named("understudy.config.reloads")) {
            if ("applied".equals(meter.getId().getTag("outcome"))) {
                sum += Meters.value(meter);
            }
        }
        if (sum > reloads) {
            log.add(now, RecentEvents.Level.INFO, "configuration", "reloaded");
        }
        reloads = sum;
    }

    private static String number(double value) {
        return String.valueOf(Math.round(value));
    }

    /** The last {@value #ENTRIES} state changes, for {@code /api/events}. Thread-safe. */
    static final class RecentEvents {

        static final int ENTRIES = 500;

        /** {@code problem} asks for action, {@code recovered} ends a problem, {@code info} is neither. */
        enum Level {
            PROBLEM,
            RECOVERED,
            INFO;

            @Override
            public String toString() {
                return name().toLowerCase(java.util.Locale.ROOT);
            }
        }

        /** @param subject the part of the system that it is about, such as {@code standby standby-1} */
        record Entry(Instant time, Level level, String subject, String text) {}

        private final Deque<Entry> entries = new ArrayDeque<>();

        synchronized void add(Instant time, Level level, String subject, String text) {
            if (entries.size() == ENTRIES) {
                entries.removeFirst();
            }
            entries.addLast(new Entry(time, level, subject, text));
        }

        /** Returns the entries, newest first. */
        synchronized List<Entry> newestFirst() {
            List<Entry> all = new ArrayList<>(entries);
            Collections.reverse(all);
            return all;
        }
    }
}
