package io.understudy.plugins.blackbox;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retains the transactions of the primary's binary log until every standby has applied them, in a bounded number of
 * bytes; beyond that the oldest are dropped. While there is no stream nothing expires: the primary may be dead, and
 * these may be the last copies.
 *
 * <p>Thread-safe. The lock is held while a transaction's bytes are appended, or references are collected for a report;
 * sessions never wait for it.
 */
final class BlackBox implements BinlogListener, BinlogEvents {
    private static final Logger log = LoggerFactory.getLogger(BlackBox.class);

    /** Longest time that an OK and its events wait for each other. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /** The present one and those of earlier primaries. */
    private static final int MOST_HISTORIES = 3;

    private static final byte[] NO_FORMAT = {};

    private final Chunks chunks;
    private final long limit;
    private final LongSupplier nanoClock;

    private final ArrayDeque<History> histories = new ArrayDeque<>();
    private byte[] format = NO_FORMAT;
    /** Offset at which the transaction in transit begins; -1 between two. */
    private long open = -1;
    /** Why the transaction in transit is not retained; null if it is. */
    private @Nullable NotKept notKept;

    private final RareWarning noRoom;
    private final RareWarning tooLarge;

    private boolean streaming;
    /** When the present stream began. */
    private long streamingNanos;

    private long endedNanos;
    private @Nullable String trouble;
    private long dropped;
    /** Transactions of primaries that are too long ago, which reports no longer have. */
    private long forgotten;

    private boolean full;

    /** Why a transaction is not retained. */
    private enum NotKept {
        /** The stream has not described the format of its events yet. */
        NO_FORMAT(""),
        /** That has been logged already. */
        NO_ROOM(""),
        HALF("it is larger than half of plugins.black-box.memory; raise that if such transactions matter"),
        HUGE_EVENT("one of its events has 16 MiB or more, and such are not kept, whatever plugins.black-box.memory is");

        private final String text;

        NotKept(String text) {
            this.text = text;
        }
    }

    BlackBox(Chunks chunks, long limit, LongSupplier nanoClock) {
        this.chunks = chunks;
        this.limit = limit;
        this.nanoClock = nanoClock;
        noRoom = new RareWarning(nanoClock);
        tooLarge = new RareWarning(nanoClock);
    }

    @Override
    public synchronized void onStart(PrimaryFacts facts, boolean replaced) {
        voidOpen();
        History present = histories.peekLast();
        if (present == null || !present.facts.sameServer(facts)) {
            History former = present;
            present = new History(facts, chunks);
            if (former != null) {
                former.followedBy(present);
                if (streaming) {
                    endedNanos = nanoClock.getAsLong();
                }
            }
            histories.add(present);
            while (histories.size() > MOST_HISTORIES) {
                forgetOldest();
            }
        }
        present.streamAt(facts.position());
        format = NO_FORMAT;
        streaming = true;
        streamingNanos = nanoClock.getAsLong();
        trouble = null;
    }

    private void forgetOldest() {
        History oldest = histories.remove();
        int kept = oldest.kept.size();
        long unseen = oldest.unseen.size() + oldest.moreUnseen();
        if (kept > 0 || unseen > 0) {
            dropped += kept;
            forgotten += kept + unseen;
            log.warn(
                    "black-box: the primary has changed {} times, and what the first of these primaries (server_id {})"
                            + " wrote is forgotten: {} transactions that some standby has not applied, and {} that were"
                            + " answered and not captured. Reports no longer have them",
                    MOST_HISTORIES,
                    oldest.facts.serverId(),
                    kept,
                    unseen);
        }
        oldest.dropAll();
    }

    @Override
    public synchronized void onGap(BinlogTrouble why) {
        voidOpen();
        if (streaming || trouble == null) {
            endedNanos = nanoClock.getAsLong();
        }
        streaming = false;
        trouble = why.message();
    }

    @Override
    public synchronized void onFormat(byte[] event) {
        format = event;
    }

    @Override
    public synchronized void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        History present = histories.peekLast();
        if (present == null) {
            return;
        }
        if (first) {
            voidOpen();
            open = present.ring.end();
            notKept = format == NO_FORMAT ? NotKept.NO_FORMAT : null;
        }
        if (open < 0 || notKept != null) {
            return;
        }
        if (!whole || present.ring.end() - open + length > limit / 2) {
            notKept = whole ? NotKept.HALF : NotKept.HUGE_EVENT;
            present.ring.truncate(open);
        } else {
            append(present, buf, index, length);
        }
    }

    /** Drops the oldest transactions if the storage cannot grow, as if it were the limit. */
    private void append(History present, ByteBuf buf, int index, int length) {
        long from = present.ring.end();
        while (true) {
            try {
                present.ring.append(buf, index, length);
                return;
            } catch (UncheckedIOException e) {
                present.ring.truncate(from);
                warnOfNoRoom(e);
                if (from - open + length > ringBytes() / 2 || !dropOldest()) {
                    notKept = NotKept.NO_ROOM;
                    truncateOpen(present);
                    return;
                }
            }
        }
    }

    private void truncateOpen(History present) {
        present.ring.truncate(open);
        if (present.kept.isEmpty()) {
            present.ring.clear();
        }
    }

    private void warnOfNoRoom(UncheckedIOException e) {
        if (noRoom.due()) {
            log.warn(
                    "{}; the oldest transactions are dropped for new ones, and reports will show them as a gap. Make"
                            + " room there (told at most once a minute)",
                    e.getMessage());
        }
    }

    @Override
    public synchronized void onTransaction(BinlogTransaction transaction) {
        History present = histories.peekLast();
        if (present == null) {
            return;
        }
        long from = open;
        boolean whole = from >= 0 && notKept == null;
        open = -1;
        Gtid gtid = Gtid.of(present.flavor(), transaction);
        if (gtid == null || !whole) {
            if (from >= 0) {
                present.ring.truncate(from);
            }
            if (gtid != null) {
                present.passed(gtid);
                present.missed(gtid);
            }
            if (gtid != null && from >= 0) {
                warnOfNotKept(gtid, transaction);
            }
            return;
        }
        present.passed(gtid);
        present.keep(new KeptTransaction(present, gtid, transaction, from, (int) (present.ring.end() - from), format));
        makeRoom();
    }

    private void warnOfNotKept(Gtid gtid, BinlogTransaction transaction) {
        NotKept why = notKept;
        if (why != null && !why.text.isEmpty() && tooLarge.due()) {
            log.warn(
                    "black-box: transaction {} of {} bytes is not kept: {}. Reports will show it as a gap (told at most"
                            + " once a minute)",
                    gtid.text(),
                    transaction.bytes(),
                    why.text);
        }
    }

    private void voidOpen() {
        History present = histories.peekLast();
        if (open >= 0 && present != null) {
            present.ring.truncate(open);
        }
        open = -1;
    }

    private void makeRoom() {
        while (bytes() > limit && dropOldest()) {
            warnOfDropping();
        }
    }

    /** Drops the oldest transaction of the largest history. Returns false if there is none. */
    private boolean dropOldest() {
        History largest = null;
        for (History each : histories) {
            if (!each.kept.isEmpty() && (largest == null || each.bytes() > largest.bytes())) {
                largest = each;
            }
        }
        if (largest == null || !largest.dropOldest(unused(largest))) {
            return false;
        }
        dropped++;
        return true;
    }

    /** Returns the offset before which a history needs no bytes when no transaction is retained. */
    private long unused(History history) {
        return history == histories.peekLast() && open >= 0 ? open : history.ring.end();
    }

    /** Logs it once, until there is room again. */
    private void warnOfDropping() {
        if (!full) {
            full = true;
            log.warn("black-box: full: the oldest transactions are dropped before every standby has applied them;"
                    + " reports will show them as a gap. Raise plugins.black-box.memory, or see why a standby lags");
        }
    }

    /**
     * Called with OKs that were sent to clients. A former primary may send some after another one has followed: those
     * of the last transactions on its sessions, which are lost if the new primary lacks them.
     */
    synchronized void answered(Collection<AnsweredCommit> all) {
        History present = histories.peekLast();
        if (present == null) {
            return;
        }
        for (AnsweredCommit each : all) {
            try {
                for (Gtid gtid : Gtid.parseAll(present.flavor(), each.gtids())) {
                    writer(gtid, present).answered(gtid, each);
                }
            } catch (IllegalArgumentException e) {
                log.debug("black-box: an OK reported '{}', which is no GTID of this primary", each.gtids());
            }
        }
    }

    /** Returns the latest history of the server that wrote the transaction; the present one if there is none. */
    private History writer(Gtid gtid, History present) {
        if (present.isWriter(gtid)) {
            return present;
        }
        Iterator<History> latestFirst = histories.descendingIterator();
        while (latestFirst.hasNext()) {
            History each = latestFirst.next();
            if (each.isWriter(gtid)) {
                return each;
            }
        }
        return present;
    }

    /** Called when a session has ended before the response to a statement that may have committed. */
    synchronized void interrupted(InterruptedSession session) {
        History present = histories.peekLast();
        if (present != null) {
            present.interrupted(session);
        }
    }

    /**
     * Releases the transactions that every standby has applied.
     *
     * @param standbys the last known positions of all standbys
     */
    synchronized void applied(Collection<Applied> standbys) {
        for (History history : histories) {
            long end = unused(history);
            KeptTransaction oldest = history.kept.peek();
            while (oldest != null && onAll(oldest, standbys)) {
                history.dropOldest(end);
                oldest = history.kept.peek();
            }
        }
        full &= bytes() > limit / 2;
    }

    private static boolean onAll(KeptTransaction transaction, Collection<Applied> standbys) {
        for (Applied standby : standbys) {
            if (!standby.has(transaction.gtid, transaction.history)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Forgets OKs and events that will find no partner. Not while there is no stream, nor for some time after it has
     * begun again: then it still brings the partners of what was seen before, however long it was away. What has none
     * when another primary follows is what was lost, and stays.
     */
    synchronized void expire() {
        long before = nanoClock.getAsLong() - PATIENCE_NANOS;
        if (streaming && streamingNanos - before <= 0) {
            histories.getLast().expire(before);
        }
    }

    /** Returns the transactions that the survivor has and lacks. */
    synchronized Loss loss(Survivor survivor) {
        Loss loss = new Loss();
        int ofFormer = 0;
        // What it has in addition matters for a replay alone: compared with the primaries that wrote what it lacks.
        Set<String> beyond = new LinkedHashSet<>();
        for (History history : histories) {
            int before = loss.found();
            for (KeptTransaction each : history.kept) {
                if (survivor.applied().has(each.gtid, history)) {
                    continue;
                }
                Applied received = survivor.received();
                if (received != null && received.has(each.gtid, history)) {
                    loss.received.add(each);
                } else {
                    loss.missing.add(each);
                }
            }
            history.unseen.forEach((text, answered) -> {
                for (Gtid gtid : Gtid.parseAll(history.flavor(), text)) {
                    if (!survivor.applied().has(gtid, history)) {
                        loss.notCaptured.put(gtid, answered);
                    }
                }
            });
            loss.moreNotCaptured += history.moreUnseen();
            for (KeptTransaction each : history.unanswered.values()) {
                if (survivor.applied().has(each.gtid, history)) {
                    loss.unanswered.add(each);
                }
            }
            // Sessions that ended before the last minute of the stream have expired.
            loss.interrupted.addAll(history.interrupted);
            loss.gaps.addAll(history.notKept().minus(survivor.applied().of(history)));
            if (loss.found() > before) {
                beyond.add(survivor.applied().beyond(history));
            }
            if (history != histories.peekLast()) {
                ofFormer += loss.found() - before;
            }
        }
        beyond.remove("");
        loss.beyond = String.join(",", beyond);
        // What a former primary wrote cannot arrive any more, although the present one's binary log is read.
        loss.streaming = streaming && ofFormer == 0;
        loss.forgotten = forgotten;
        loss.trouble = streaming && ofFormer > 0 ? "the primary has changed" : trouble;
        loss.endedNanos = endedNanos;
        return loss;
    }

    /** Returns a copy of the bytes, or null if they were released. */
    synchronized byte @Nullable [] bytes(KeptTransaction transaction) {
        return transaction.dropped ? null : transaction.history.ring.copy(transaction.offset, transaction.length);
    }

    /** Returns whether the present primary's binary log is being read. */
    synchronized boolean streaming() {
        return streaming;
    }

    synchronized long transactions() {
        return histories.stream().mapToLong(history -> history.kept.size()).sum();
    }

    private long ringBytes() {
        return histories.stream().mapToLong(history -> history.ring.bytes()).sum();
    }

    synchronized long bytes() {
        long total = 0;
        for (History history : histories) {
            total += history.bytes();
        }
        return total;
    }

    /** Returns the number of transactions dropped before every standby had applied them. */
    synchronized long dropped() {
        return dropped;
    }

    synchronized List<PrimaryFacts> primaries() {
        List<PrimaryFacts> all = new ArrayList<>();
        histories.forEach(history -> all.add(history.facts));
        return all;
    }

    synchronized void close() {
        histories.clear();
        chunks.close();
    }
}
