package io.understudy.plugins.blackbox.kept;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.log.LogException;
import io.understudy.plugins.blackbox.log.LogPlace;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.log.LoggedTransaction;
import io.understudy.plugins.blackbox.log.TransactionLog;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a black box retains, on its way to the log, in the order of the binary log. Filled under the lock of the
 * {@link BlackBox}; {@link #write} is called by one thread.
 */
public final class LogQueue {
    /** What is written together has at most so many bytes, or is one transaction. */
    private static final long BATCH = 4 << 20;
    /** Bytes of a record besides the events. */
    private static final int OVERHEAD = 256;
    /** Outcomes that are written again, and their bytes. */
    private static final int MOST_AGAIN = 500;

    private static final int AGAIN = 256 << 10;

    private final BlackBox box;
    private final TransactionLog log;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
    /** Entries of queue and batch. */
    private final AtomicLong unwritten = new AtomicLong();
    /** Of these, positions. */
    private final AtomicInteger starts = new AtomicInteger();
    /** Bytes of events that are written even if all standbys have applied them before. */
    private final AtomicLong held = new AtomicLong();
    /** What is being written, or was not because of a failure. */
    private final List<Entry> batch = new ArrayList<>();
    /** The position up to which the log has all. */
    private @Nullable History written;
    /** The position that was last given to be written, or that the log had at first; null before. */
    private @Nullable LogStart last;
    /** What was last said of where the log begins; null before. */
    private @Nullable LogStart begun;

    /** One of its parts is not null, or {@code kept} and its events. */
    private record Entry(
            @Nullable LogStart start,
            @Nullable KeptTransaction kept,
            @Nullable List<byte[]> held,
            @Nullable Gtid missed,
            byte @Nullable [] outcome,
            @Nullable Runnable then) {
        private long bytes() {
            return (long) OVERHEAD + (kept == null ? 0 : kept.length) + (outcome == null ? 0 : outcome.length);
        }
    }

    /** @param log whose content the box has taken over */
    public LogQueue(BlackBox box, TransactionLog log, Clock clock, LongSupplier nanoClock) {
        this.box = box;
        this.log = log;
        this.clock = clock;
        this.nanoClock = nanoClock;
        begun = box.position();
        last = begun;
        written = begun == null ? null : at(begun);
    }

    private static History at(LogStart start) {
        History history = new History(start.history(), start.facts(), start.anew());
        history.restore(start);
        return history;
    }

    void started(LogStart start) {
        last = start;
        starts.incrementAndGet();
        add(new Entry(start, null, null, null, null, null));
    }

    /** Returns whether the log may lack what is known of other servers now: none of it waits to be written. */
    boolean lacks(LogStart now) {
        LogStart before = last;
        return starts.get() == 0
                && (before == null
                        || !now.seen().equals(before.seen())
                        || !now.unknown().equals(before.unknown()));
    }

    void kept(KeptTransaction transaction) {
        boolean holds = held.get() + transaction.length <= BATCH;
        held.addAndGet(holds ? transaction.length : 0);
        add(new Entry(null, transaction, holds ? transaction.events() : null, null, null, null));
    }

    void missed(Gtid gtid) {
        add(new Entry(null, null, null, gtid, null, null));
    }

    void outcome(OutcomeRecord settled) {
        add(new Entry(null, null, null, null, settled.bytes(), null));
    }

    /** Has an action run when all that came before is in the log, by the thread that writes. */
    public void then(Runnable action) {
        add(new Entry(null, null, null, null, null, action));
    }

    private void add(Entry entry) {
        unwritten.incrementAndGet();
        queue.add(entry);
    }

    /** Returns whether all is written. Thread-safe. */
    public boolean isEmpty() {
        return unwritten.get() == 0;
    }

    void trim() {
        log.trim();
    }

    /**
     * Waits until there is something to write, at most so long.
     *
     * @return whether there is
     */
    public boolean await(long millis) throws InterruptedException {
        if (batch.isEmpty()) {
            Entry first = queue.poll(millis, TimeUnit.MILLISECONDS);
            if (first != null) {
                batch.add(first);
            }
        }
        return !batch.isEmpty();
    }

    /**
     * Writes what has come together.
     *
     * @throws LogException if nothing of it is written; it will be with the next call that succeeds
     */
    public void write() throws LogException {
        if (batch.isEmpty()) {
            return;
        }
        LogStart start = batch.get(0).start();
        if (start != null) {
            write(start);
        } else {
            gather();
            writeBatch();
        }
        unwritten.addAndGet(-batch.size());
        batch.clear();
    }

    private void write(LogStart start) throws LogException {
        History before = written;
        if (before != null && before.flavor() != start.facts().flavor()) {
            throw new LogException(
                    LogException.Reason.UNUSABLE,
                    "the log holds transactions of " + name(before.facts) + ", and the primary is "
                            + name(start.facts()) + ": name another plugins.black-box.directory, or move it away",
                    null);
        }
        boolean next = before == null || before.number != start.history();
        List<byte[]> again = next || log.needsStart() ? again() : List.of();
        log.reserve(bytes(start) + bytes(again));
        start(start, next, again);
        log.flush();
        starts.decrementAndGet();
        written = at(start);
        begun = start;
    }

    /** Outcomes go with their segments, so each has the newest. */
    private List<byte[]> again() {
        List<byte[]> records = new ArrayList<>();
        int bytes = 0;
        for (OutcomeRecord each : box.outcomes().newest(MOST_AGAIN)) {
            byte[] record = each.bytes();
            bytes += record.length + OVERHEAD;
            if (bytes <= AGAIN) {
                records.add(record);
            }
        }
        return records;
    }

    private static long bytes(LogStart start) {
        long servers = start.seen().values().stream()
                .mapToLong(each -> each.applied().length() + each.received().length() + OVERHEAD)
                .sum();
        long words = start.unknown().stream().mapToLong(String::length).sum();
        return OVERHEAD
                + 4L * start.facts().position().length()
                + servers
                + (long) OVERHEAD * start.compared().size()
                + 2 * words;
    }

    private static long bytes(List<byte[]> records) {
        return records.stream().mapToLong(each -> each.length + OVERHEAD).sum();
    }

    private void start(LogStart start, boolean next, List<byte[]> again) throws LogException {
        log.start(start, next);
        for (byte[] each : again) {
            log.outcome(each);
        }
    }

    private static String name(PrimaryFacts facts) {
        return facts.flavor() == ServerFlavor.MARIADB ? "a MariaDB server" : "a MySQL server";
    }

    private void gather() {
        long bytes = 0;
        for (Entry each : batch) {
            bytes += each.bytes();
        }
        for (Entry next = queue.peek();
                next != null && next.start() == null && bytes + next.bytes() <= BATCH;
                next = queue.peek()) {
            bytes += next.bytes();
            batch.add(queue.remove());
        }
    }

    private void writeBatch() throws LogException {
        History position = written;
        LogStart last = begun;
        if (position == null || last == null) {
            throw new IllegalStateException("a transaction before any position");
        }
        List<byte[]> again = log.needsStart() ? again() : List.of();
        log.reserve(batch.stream().mapToLong(Entry::bytes).sum() + bytes(last) + bytes(again));
        if (log.needsStart()) {
            start(position.start().with(last.compared(), last.seen(), last.unknown()), false, again);
        }
        List<@Nullable LogPlace> places = new ArrayList<>(batch.size());
        for (Entry each : batch) {
            places.add(append(each));
        }
        log.flush();
        for (int i = 0; i < batch.size(); i++) {
            done(position, batch.get(i), places.get(i));
        }
    }

    private @Nullable LogPlace append(Entry entry) throws LogException {
        KeptTransaction kept = entry.kept();
        List<byte[]> present = kept == null ? null : kept.events();
        List<byte[]> events = present == null ? entry.held() : present;
        if (kept != null && events != null) {
            long age = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - kept.nanos);
            return log.append(
                    new LoggedTransaction(
                            kept.gtid.text(), kept.kind, clock.millis() - age, kept.format, kept.length, kept.token),
                    events);
        }
        Gtid missed = kept == null ? entry.missed() : kept.gtid; // applied before it was written
        byte[] outcome = entry.outcome();
        if (outcome != null) {
            log.outcome(outcome);
        }
        if (missed != null) {
            log.missed(missed.text(), kept != null);
        }
        return null;
    }

    private void done(History position, Entry entry, @Nullable LogPlace place) {
        KeptTransaction kept = entry.kept();
        Gtid gtid = kept == null ? entry.missed() : kept.gtid;
        Runnable then = entry.then();
        if (gtid != null) {
            position.passed(gtid);
        }
        held.addAndGet(kept == null || entry.held() == null ? 0 : -kept.length);
        if (kept != null && place != null) {
            box.stored(kept, place);
        }
        if (then != null) {
            then.run();
        }
    }
}
