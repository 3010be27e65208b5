package io.understudy.plugins.blackbox.kept;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionBytes;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Applied.MySqlApplied;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.Histories;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Reach;
import io.understudy.plugins.blackbox.history.Renumbered;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.log.LogDamage;
import io.understudy.plugins.blackbox.log.LogPlace;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.outcome.EventTokens;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.outcome.Traces;
import io.understudy.plugins.blackbox.reset.BuiltAnew;
import io.understudy.plugins.blackbox.reset.BuiltAnew.Standing;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.plugins.blackbox.reset.ResetWatch;
import io.understudy.servers.GtidNumbers;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
public final class BlackBox implements BinlogListener, BinlogEvents {
    private static final Logger log = LoggerFactory.getLogger(BlackBox.class);

    /** Longest time that an OK and its events wait for each other. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static final Applied NOTHING = new MySqlApplied(new GtidNumbers());

    private final LongSupplier nanoClock;
    private final Histories histories;
    private final EventRecorder recorder;
    private final Doubts doubts = new Doubts();
    private final Traces traces;
    private final Outcomes outcomes = new Outcomes();
    private final EventTokens tokens = new EventTokens();
    private final BuiltAnew builtAnew;
    private final ResetWatch resets;
    private final OperatorComparison comparison;

    /** What a log has lost. */
    private final List<LogDamage> damage = new ArrayList<>();

    private @Nullable LogQueue queue;

    /** Whether a log is read, all of which is traced before anything of it is released. */
    private boolean restoring;

    private final FormerPrimaries former = new FormerPrimaries();

    /** When the proxy last followed a change of the primary; null if it did not. */
    private @Nullable Long changedNanos;

    private Predicate<String> isPrimary = name -> false;
    private BooleanSupplier gone = () -> true;

    private final RestoredOutcomes restored = new RestoredOutcomes();

    private boolean streaming;
    /** When the present stream began. */
    private long streamingNanos;

    /** When the last stream ended; null before, and if that is not known: a log tells it by its last transaction. */
    private @Nullable Long endedNanos;

    private @Nullable String trouble;
    /** The last known positions of all standbys; empty before. */
    private List<Applied> standbys = List.of();

    /**
     * @param limit bytes for transactions
     * @param drops whether the oldest are dropped for want of room; else the newest are not taken
     */
    public BlackBox(long limit, boolean drops, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        histories = new Histories(limit, drops);
        builtAnew = new BuiltAnew(histories);
        recorder = new EventRecorder(limit, nanoClock, histories::hasRoom);
        traces = new Traces(nanoClock);
        resets = new ResetWatch(builtAnew, nanoClock);
        comparison = new OperatorComparison(this, builtAnew, doubts, former);
    }

    @Override
    public synchronized boolean isAnew(PrimaryFacts facts) {
        History present = histories.present();
        return present != null
                && present.facts.sameServer(facts)
                && (present.isBehind(facts)
                        || present.isAnew() && present.seen().isEmpty());
    }

    @Override
    public synchronized void onStart(PrimaryFacts facts) {
        History present = histories.present();
        if (present == null || !present.facts.sameServer(facts)) {
            if (present != null) {
                endedNanos = ended();
            }
            present = follow(present, facts);
        } else if (present.isBehind(facts)) {
            present = anew(facts, behind(facts, present.readUpTo()));
        }
        former.streams(false);
        restored.requested(present, facts);
        doubts.resumed(present);
        present.streamAt(facts);
        resets.streaming(present);
        traces.started(facts);
        toLog(present);
        recorder.begin();
        streaming = true;
        streamingNanos = nanoClock.getAsLong();
        trouble = null;
    }

    /**
     * Sets how to find out what the proxy knows of the primary. Before the first report; else it is gone.
     *
     * @param byName whether the survivor of that name is the primary now
     * @param silent whether the primary does not respond
     */
    public synchronized void presentPrimary(Predicate<String> byName, BooleanSupplier silent) {
        isPrimary = byName;
        gone = silent;
    }

    /** Clients may have had OKs of it before its log is read. */
    private History follow(@Nullable History former, PrimaryFacts facts) {
        this.former.add(restored.end(former));
        this.former.streams(true);
        History next = histories.follow(facts, false);
        if (former != null && former.flavor() == next.flavor()) {
            former.answers.giveTo(
                    next.answers,
                    text -> Gtid.parseAll(next.flavor(), text).stream().allMatch(next::isWriter));
        }
        return next;
    }

    /**
     * Called when a client has had the primary begin a new binary log and new numbers.
     *
     * @return whether the log is to be read anew
     */
    synchronized boolean reset() {
        History present = histories.present();
        if (present == null) {
            return false;
        }
        anew(present.facts, "was reset through this proxy (RESET MASTER) at " + present.readUpTo());
        return true;
    }

    private static String behind(PrimaryFacts facts, String other) {
        return (facts.position().isEmpty() ? "has begun anew" : "is now at '" + facts.position() + "'") + ", behind "
                + other;
    }

    private History anew(PrimaryFacts facts, String how) {
        recorder.discard();
        traces.anew();
        History present = histories.present();
        return anew(present != null && present.isUnused() ? present : histories.follow(facts, true), how);
    }

    private History anew(History next, String how) {
        resets.begun();
        log.warn(
                "black-box: the primary's binary log {}: its GTIDs begin anew. What standbys lack of it cannot be told"
                        + " by their positions, and all that is written since is kept and reported as missing, until"
                        + " each was built anew. Do not start their replication again: it skips what has a number that"
                        + " they know. docs/black-box.md, After RESET MASTER, has what to do",
                how);
        toLog(next);
        return next;
    }

    /** Returns the traces of what arrives. */
    public Traces traces() {
        return traces;
    }

    /** Returns what became of lost statements. */
    public Outcomes outcomes() {
        return outcomes;
    }

    /** Has the outcome of a lost statement written to a log if there is one. */
    public synchronized void keep(OutcomeRecord settled) {
        History present = histories.present();
        if (queue != null && present != null) {
            OutcomeRecord kept = settled.in(present.number);
            outcomes.add(kept);
            queue.outcome(kept);
        }
    }

    /** See {@link RestoredOutcomes#compare}. */
    public synchronized void compare(String has) {
        History present = histories.present();
        if (present != null) {
            restored.compare(present, has);
        }
    }

    /** See {@link RestoredOutcomes#areUnproven}. Thread-safe. */
    public boolean unproven() {
        return restored.areUnproven();
    }

    /** Has all that is retained from now on written to a log. */
    public synchronized void writeTo(LogQueue log) {
        queue = log;
        restoring = false;
    }

    /** Returns what takes over the content of a log, in place of what was retained before. */
    public synchronized RestoredLog restored(Clock clock) {
        histories.clear();
        former.restoring();
        builtAnew.clear();
        damage.clear();
        restoring = true;
        restored.restored();
        return new RestoredLog(this, histories, this::restore, outcomes, damage, clock, nanoClock);
    }

    private void restore(LogStart start) {
        builtAnew.restore(start);
        former.restored(start.unknown());
    }

    /** Called when the log has a transaction. */
    synchronized void stored(KeptTransaction transaction, LogPlace place) {
        transaction.history.stored(transaction, place);
    }

    /** Returns the position of the present history; null if there is none. */
    synchronized @Nullable LogStart position() {
        History present = histories.present();
        return present == null ? null : start(present);
    }

    private LogStart start(History present) {
        return builtAnew.addTo(present.start(), former.forLog());
    }

    private void toLog(History present) {
        if (queue != null) {
            queue.started(start(present));
        }
    }

    /** Returns when the last stream ended, which is now if there is one. */
    private @Nullable Long ended() {
        if (streaming) {
            return nanoClock.getAsLong();
        }
        History present = histories.present();
        KeptTransaction last = present == null ? null : present.kept.peekLast();
        return endedNanos != null || last == null ? endedNanos : Long.valueOf(last.nanos);
    }

    /**
     * Leaves out what was read of other servers after the last log of this one. They may be standbys that replicated
     * from it: nothing is left out if one of them wrote something itself.
     *
     * @return the server ids of those left out
     */
    public synchronized List<Long> endWith(long server) {
        return histories.endWith(server);
    }

    /**
     * Called when a restored log is all that there is.
     *
     * @param why there is no stream
     * @return its last transaction; null if that is not retained, as all standbys had applied it
     */
    public synchronized @Nullable KeptTransaction ended(String why) {
        History present = histories.present();
        KeptTransaction last = present == null ? null : present.kept.peekLast();
        endedNanos = last == null ? null : Long.valueOf(last.nanos);
        trouble = why;
        return last;
    }

    @Override
    public synchronized void onGap(BinlogTrouble why) {
        recorder.discard();
        endedNanos = ended();
        streaming = false;
        trouble = why.message();
    }

    @Override
    public synchronized void onFormat(byte[] event) {
        History present = histories.present();
        if (present != null) {
            restored.accepted(present, outcomes).forEach(this::keep);
        }
        recorder.format(event);
        traces.format(event);
        tokens.format(event);
    }

    @Override
    public synchronized void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (!tokens.event(buf, index, length, first, whole)) {
            recorder.event(buf, index, length, first, whole);
        }
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        take(transaction);
    }

    /** Called when a transaction's last event has arrived. Returns what became of it. */
    public synchronized EventRecorder.Taken take(BinlogTransaction transaction) {
        String token = tokens.take();
        traces.passed(transaction, token);
        History present = histories.present();
        if (present == null) {
            return new EventRecorder.Taken(EventRecorder.Outcome.ANONYMOUS, null);
        }
        EventRecorder.Taken taken = recorder.end(present, transaction, token, queue);
        histories.hasRoom(0);
        return taken;
    }

    /** Returns whether there is room again for the largest transaction that is kept. */
    public synchronized boolean hasRoomAgain() {
        return histories.hasRoomAgain();
    }

    /**
     * Returns whether a primary's numbers began anew, and what the server has since is not known.
     *
     * @param server see {@link Survivor#server}
     */
    public synchronized boolean isRenumbered(String server) {
        return builtAnew.isUnknown(server);
    }

    /** Returns what is known of a survivor behind a reset. */
    public synchronized Standing standing(Survivor survivor) {
        return builtAnew.standing(survivor.server(), survivor.applied());
    }

    /**
     * Called when the proxy has followed a change of the primary.
     *
     * @param unknown what is not known of the one before, if it is another server; null for nothing
     */
    public synchronized void primaryChanged(@Nullable String unknown) {
        changedNanos = nanoClock.getAsLong();
        former.changed(unknown);
        if (histories.present() == null) {
            former.add(
                    "what the primary before this one wrote: this proxy began when that was gone, and has read nothing"
                            + " of it");
        }
    }

    /** Returns what is not known of primaries before the present one; empty for nothing, or if somebody has looked. */
    public synchronized Set<String> formerUnknown() {
        former.add(resets.unknown());
        return former.unknown(histories.forgotten());
    }

    /** See {@link RestoredOutcomes#end}. */
    public synchronized @Nullable String restoredEnd() {
        return restored.end(histories.present());
    }

    /** Returns whether the log from which the present history was restored passes over a transaction. */
    public synchronized boolean hasRestoredGap() {
        History present = histories.present();
        return present != null && present.hasRestoredGap();
    }

    /** Returns the number of the present history; 0 if there is none. */
    public synchronized long history() {
        History present = histories.present();
        return present == null ? 0 : present.number;
    }

    /** Returns whether the last stream was this server's. */
    public synchronized boolean isFollowing(PrimaryFacts facts) {
        History present = histories.present();
        return present != null && present.facts.sameServer(facts);
    }

    /** Returns the position up to which this server's log has been read; null if it was not, or has begun anew. */
    public synchronized @Nullable String readUpTo(PrimaryFacts facts) {
        History present = histories.present();
        return present == null || !present.facts.sameServer(facts) || present.isBehind(facts)
                ? null
                : present.readUpTo();
    }

    /** Returns whether the server's log has been read up to this position. */
    public synchronized boolean hasReached(PrimaryFacts facts) {
        History present = histories.present();
        return present != null && present.facts.sameServer(facts) && present.hasReached(facts.position());
    }

    /** Returns whether each transaction of the present primary is kept, or was applied by every standby. */
    public synchronized boolean holdsAll() {
        History present = histories.present();
        return present != null
                && !standbys.isEmpty()
                && standbys.stream()
                        .allMatch(each ->
                                present.notKept().minus(each.of(present)).isEmpty());
    }

    /**
     * Called with OKs that were sent to clients. A former primary may send some after another one has followed: those
     * of the last transactions on its sessions, which are lost if the new primary lacks them.
     *
     * @return whether one tells that the primary has begun anew: its log is to be read anew
     */
    synchronized boolean answered(Collection<AnsweredCommit> all) {
        History present = histories.present();
        boolean repeated = false;
        for (AnsweredCommit each : all) {
            try {
                boolean mysql = each.gtids().indexOf(':') >= 0;
                List<Gtid> gtids = Gtid.parseAll(mysql ? ServerFlavor.MYSQL : ServerFlavor.MARIADB, each.gtids());
                if (present != null && resets.isRepeated(present, gtids, each)) {
                    repeated = true;
                    String how = "gives the number of " + gtids.get(0).text() + " a second time, behind ";
                    present = anew(present.facts, how + present.readUpTo());
                }
                for (Gtid gtid : gtids) {
                    if (present != null && (present.flavor() == ServerFlavor.MYSQL) == mysql) {
                        histories.writer(gtid, present).answered(gtid, each);
                    }
                    traces.answered(gtid.text(), each.supposed() != null); // also before the log is read
                }
            } catch (IllegalArgumentException e) {
                log.debug("black-box: an OK reported '{}', which is no GTID of this primary", each.gtids());
            }
        }
        return repeated;
    }

    /** Called when a session has ended before the response to a statement that may have committed. */
    synchronized void interrupted(InterruptedSession session) {
        History present = histories.present();
        if (present != null) {
            present.interrupted(session);
        }
    }

    /**
     * Releases the transactions that every standby has applied.
     *
     * @param known the last known positions of all standbys
     * @param promoted that of the one which is the primary now, and may lack what another one wrote; null if none is
     */
    public void applied(Collection<Applied> known, @Nullable Renumbered promoted) {
        LogQueue written;
        synchronized (this) {
            standbys = known.stream().map(this::now).toList();
            if (!restoring) {
                histories.release(standbys, promoted);
            }
            written = queue;
        }
        if (written != null) {
            written.trim();
        }
    }

    /**
     * Forgets OKs and events that will find no partner. Not while there is no stream, nor for some time after it has
     * begun again: then it still brings the partners of what was seen before, however long it was away. What has none
     * when another primary follows is what was lost, and stays.
     */
    synchronized void expire() {
        long before = nanoClock.getAsLong() - PATIENCE_NANOS;
        History present = histories.present();
        if (present != null && streaming && streamingNanos - before <= 0) {
            present.expire(before);
        }
    }

    /** Returns the transactions that the survivor has and lacks. */
    public synchronized Loss loss(Survivor reported) {
        Survivor survivor = reported.applying(meaning(reported.server(), reported.applied()));
        Loss loss = new Loss();
        long ofFormer = 0;
        boolean isThePrimary = isPrimary.test(reported.name());
        Long since = isThePrimary ? changedNanos : null;
        for (History history : histories) {
            ofFormer = loss.lacks();
            if (streaming && history == histories.present() && survivor.isServerOf(history.facts)) {
                loss.addOwn(history);
                continue;
            }
            loss.add(history, survivor, since);
            loss.implied.addAll(doubts.implied(survivor.server(), survivor.applied(), history));
        }
        // What a former primary wrote cannot arrive any more, although the present one's binary log is read. The proxy
        // may have followed to the survivor, and still read the log of a former one that lives on.
        loss.ofFormer = ofFormer > 0 || isThePrimary && isOfAnother(survivor) && loss.lacks() > 0;
        loss.streaming = streaming && !loss.ofFormer;
        loss.forgotten = histories.forgotten();
        loss.trouble = streaming && loss.ofFormer ? since(histories.present()) : trouble;
        loss.endedNanos = endedNanos;
        damage.stream().filter(LogDamage::mayLack).map(LogDamage::toString).forEach(loss.damage::add);
        return loss;
    }

    /** Returns whether the survivor is not the server whose log was read last; false if it is not known. */
    private boolean isOfAnother(Survivor survivor) {
        History present = histories.present();
        return present != null && !survivor.isUnidentified() && !survivor.isServerOf(present.facts);
    }

    private static String since(@Nullable History present) {
        return present != null && present.isAnew()
                ? "its numbers have begun anew since (RESET MASTER)"
                : "the primary has changed";
    }

    /** Returns what a position certainly means; numbers may have begun anew since it was seen. */
    private Applied now(Applied known) {
        if (!(known instanceof Renumbered numbers)) {
            return known;
        }
        Renumbered now = builtAnew.meaning(numbers.server(), numbers.applied());
        return now.epoch().isPast() && !builtAnew.isSeenBefore(now.server()) ? NOTHING : now;
    }

    /**
     * Called with a server's position, as a report has it. Returns what it means for the present histories.
     *
     * @param server see {@link Survivor#server}
     */
    synchronized Renumbered meaning(String server, Applied applied) {
        Renumbered renumbered = builtAnew.meaning(server, applied);
        doubts.seen(server, renumbered);
        return renumbered;
    }

    /**
     * Called with a server's position by each probe. Returns what it means for the present histories.
     *
     * @param receipt asked behind the position
     */
    synchronized Applied seen(String server, Applied applied, Receipt receipt) {
        if (!restoring) {
            builtAnew.seen(server, applied, receipt, gone.getAsBoolean());
        }
        return meaning(server, applied);
    }

    /**
     * Returns what is read so far, and what standbys have, with which the primary is to be compared at once; null if
     * nothing was read. Called all the time.
     */
    synchronized @Nullable Reach reach(Collection<Applied> known) {
        History present = histories.present();
        builtAnew.asking();
        if (present == null || restoring) {
            return null;
        }
        if (queue != null && queue.lacks(start(present))) {
            toLog(present);
        }
        return resets.read(present, known);
    }

    /**
     * Compares with what the primary says. Returns whether it has begun anew, and the open stream has not told of it.
     *
     * @param before what the primary had before it was asked; what has arrived since says nothing
     * @param facts what the primary says
     */
    synchronized boolean beganAnew(Reach before, PrimaryFacts facts) {
        History present = histories.present();
        if (present == null || !present.isBehind(before, facts)) {
            builtAnew.written(facts);
            return false;
        }
        if (resets.isOneTooMany(present) || !streaming) {
            return false; // the next stream tells
        }
        if (present.isBehind(facts)) {
            anew(present.facts, behind(facts, present.readUpTo()));
            return true;
        }
        // It was reset before the proxy began to read it, and has not reached its former numbers yet.
        present.begunAnew();
        builtAnew.clear();
        anew(present, behind(facts, "a standby"));
        return false;
    }

    /**
     * Called when a loss is reported while the primary's binary log is not read: what no file has stays in the reports
     * until the survivor is seen to have applied it by itself.
     *
     * @param rescue whether a file is written
     */
    public synchronized void reported(Survivor survivor, Loss loss, boolean rescue) {
        doubts.reported(survivor.server(), loss, rescue);
    }

    /**
     * Called when a server got transactions, perhaps from another proxy's file: its position tells the truth of them.
     */
    public synchronized void applied(Survivor survivor, GtidNumbers numbers) {
        History present = histories.present();
        if (present != null) {
            doubts.applied(survivor.server(), present, numbers);
        }
        builtAnew.brought(survivor.server(), survivor.applied(), numbers);
    }

    /**
     * Called when somebody has compared the survivor's tables, or built it anew: its position counts.
     *
     * @param now what the primary says after the survivor was asked; null if it does not respond
     * @param look whether nothing is to change
     * @throws IllegalArgumentException if that cannot be; nothing has changed then
     */
    public synchronized void compared(Survivor reported, @Nullable PrimaryFacts now, boolean look) {
        History present = histories.present();
        boolean own = present != null && streaming && reported.isServerOf(present.facts);
        if ((own || isPrimary.test(reported.name())) && !isRenumbered(reported.server())) {
            if (comparison.ofFormer(reported.name(), histories.forgotten(), look)) {
                return;
            }
            if (own) {
                throw new IllegalArgumentException(
                        reported.name() + " is the primary, with which standbys are compared");
            }
        }
        if (comparison.of(reported, now, look) && present != null) {
            toLog(present);
        }
    }

    /** Returns a copy of the bytes, or null if they were released, or the log cannot be read. */
    public byte @Nullable [] bytes(KeptTransaction transaction) {
        LogPlace place;
        synchronized (this) {
            place = transaction.place();
            if (place == null) {
                return transaction.bytes();
            }
        }
        try {
            return place.read();
        } catch (IOException e) {
            if (!isDropped(transaction)) {
                log.warn("black-box: transaction {} cannot be read: {}", transaction.gtid.text(), e.getMessage());
            }
            return null;
        }
    }

    /** Returns the transaction with its tables; null if it cannot be read. */
    public @Nullable BinlogTransaction read(KeptTransaction kept) {
        byte[] events = bytes(kept);
        return events == null ? null : TransactionBytes.read(kept.history.flavor(), kept.format, events);
    }

    private synchronized boolean isDropped(KeptTransaction transaction) {
        return transaction.isDropped();
    }

    /** Returns whether the present primary's binary log is being read. */
    public synchronized boolean streaming() {
        return streaming;
    }

    public synchronized long transactions() {
        return histories.transactions();
    }

    public synchronized long bytes() {
        return histories.bytes();
    }

    /** Returns the number of transactions dropped before every standby had applied them. */
    public synchronized long dropped() {
        return histories.dropped();
    }

    public synchronized List<PrimaryFacts> primaries() {
        return histories.primaries();
    }

    public synchronized void close() {
        histories.clear();
    }
}
