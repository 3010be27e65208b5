package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds stalls by comparing the primary's log with a standby's position, probe by probe. Thread-safe. */
public final class Stalls {
    /** Shorter ones are not reported: probes are that far apart. */
    static final long LEAST_MICROS = 200_000;

    private static final int MOST = 200;
    private static final int MOST_UNAPPLIED = 50_000;
    /** So many unapplied transactions are kept as they are; behind them only those that may stall a standby. */
    private static final int MOST_WHOLE = 2_000;
    /**
     * An unapplied transaction.
     *
     * @param entry the whole, or null if it is small and stands far behind
     */
    private record Unapplied(long sequence, long arrivedNanos, Workload.@Nullable Entry entry) {}

    /** One standby's unapplied transactions of one domain. */
    private static final class Queue {
        final long domain;
        final Deque<Unapplied> unapplied = new ArrayDeque<>();

        @Nullable
        Unapplied head;

        long sinceNanos;
        long untilNanos;
        int behind;
        boolean running;
        boolean received;
        /** Whether the log was read from before the head on, so that nothing unknown is in front of it. */
        boolean complete;

        Queue(long domain) {
            this.domain = domain;
        }

        void add(Workload.Entry entry) {
            boolean whole = unapplied.size() < MOST_WHOLE || LongWork.notable(entry);
            unapplied.addLast(new Unapplied(entry.sequence(), entry.arrivedNanos(), whole ? entry : null));
            if (unapplied.size() > MOST_UNAPPLIED) {
                unapplied.removeFirst();
                complete = false;
            }
        }
    }

    private final Map<String, Map<Long, Queue>> standbys = new HashMap<>();
    private final Map<String, Long> lateMicros = new HashMap<>();
    private final Deque<Stall> found = new ArrayDeque<>();
    /** The longest brief one by standby. */
    private final Map<String, Stall> brief = new HashMap<>();

    /** @param names the standbys' */
    public Stalls(List<String> names) {
        names.forEach(name -> standbys.put(name, new HashMap<>()));
    }

    /** Adds the next transaction of the log. */
    public synchronized void logged(Workload.Entry entry) {
        for (Map<Long, Queue> queues : standbys.values()) {
            queues.computeIfAbsent(entry.domain(), Queue::new).add(entry);
        }
    }

    /** Returns whether the standby has not applied all transactions as far as known. */
    synchronized boolean behind(String standby) {
        Map<Long, Queue> queues = standbys.get(standby);
        return queues != null && queues.values().stream().anyMatch(queue -> !queue.unapplied.isEmpty());
    }

    /**
     * Takes the result of a probe.
     *
     * @param applied the standby's last applied sequence number by domain
     * @param received the last received one, or null if that is not known
     * @param running whether its applier runs
     * @param beforeNanos time just before the probe
     * @param afterNanos time just after it
     */
    synchronized void probed(
            String standby,
            Map<Long, Long> applied,
            @Nullable Map<Long, Long> received,
            boolean running,
            long beforeNanos,
            long afterNanos) {
        Map<Long, Queue> queues = standbys.getOrDefault(standby, Map.of());
        queues.forEach((domain, queue) -> {
            long reached = applied.getOrDefault(domain, 0L);
            Unapplied head = queue.unapplied.peekFirst();
            while (head != null && head.sequence() <= reached) {
                queue.unapplied.removeFirst();
                queue.complete = true;
                head = queue.unapplied.peekFirst();
            }
            if (head != null && running && head.arrivedNanos() != 0) {
                lateMicros.merge(standby, (beforeNanos - head.arrivedNanos()) / 1_000, Math::max);
            }
            if (head != null && !queue.complete && head.sequence() > reached + 1) {
                queue.head = null;
                return;
            }
            Unapplied before = queue.head;
            boolean same = before != null && head != null && before.sequence() == head.sequence();
            if (before != null && !same) {
                ended(standby, queue, before);
            }
            if (head == null) {
                queue.head = null;
                return;
            }
            if (!same) {
                queue.head = head;
                queue.sinceNanos = afterNanos;
                queue.running = true;
                queue.received = false;
            }
            queue.untilNanos = beforeNanos;
            queue.behind = queue.unapplied.size() - 1;
            queue.running &= running;
            // Without GTIDs in CHANGE MASTER the position of what is received stays empty: then it is not known.
            Long has = received == null ? null : received.get(domain);
            queue.received |= has != null && has >= head.sequence();
            if (has != null && !queue.received) {
                // The standby does not have it: the time so far is the network's, not the applier's.
                queue.sinceNanos = afterNanos;
            }
        });
    }

    /** Returns how late a standby was at most: since a transaction arrived that it had not applied. */
    synchronized long lateMicros(String standby) {
        return lateMicros.getOrDefault(standby, 0L);
    }

    private void ended(String standby, Queue queue, Unapplied head) {
        Stall stall = stall(standby, queue, head);
        if (stall != null && stall.brief()) {
            brief.merge(standby, stall, (one, other) -> one.micros() >= other.micros() ? one : other);
        } else if (stall != null) {
            found.addLast(stall);
            if (found.size() > MOST) {
                found.removeFirst();
            }
        }
    }

    /** Returns the stall behind a transaction so far, or null if it is none. */
    private static @Nullable Stall stall(String standby, Queue queue, Unapplied head) {
        long micros = (queue.untilNanos - queue.sinceNanos) / 1_000;
        if (!queue.running || queue.behind == 0 || micros <= 0) {
            return null;
        }
        Workload.Entry entry = head.entry();
        return new Stall(
                standby,
                entry == null ? Workload.Entry.small(queue.domain, head.sequence(), head.arrivedNanos()) : entry,
                micros,
                queue.behind,
                queue.received);
    }

    /** Returns all stalls, the oldest first, those that last included; and the longest brief one of each standby. */
    public synchronized List<Stall> all() {
        List<Stall> all = new ArrayList<>(brief.values());
        all.addAll(found);
        standbys.forEach((name, queues) -> queues.values().forEach(queue -> {
            Unapplied head = queue.head;
            Stall stall = head == null ? null : stall(name, queue, head);
            if (stall != null) {
                all.add(stall);
            }
        }));
        return all;
    }
}
