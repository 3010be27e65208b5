package io.understudy.plugins.blackbox;

import io.netty.buffer.ByteBuf;
import io.understudy.base.NoTask;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.binlog.SemiSyncReplica;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the black box over a dump connection of its own, and acknowledges to the primary, as a semi-synchronous
 * replica, what is kept there. What is not kept it does not acknowledge: it withdraws instead, so that the primary
 * waits for its other replicas or for its own time-out, and comes back by itself.
 *
 * <p>It comes back in two steps: it reads without being registered, from the last transaction kept up to the primary's
 * present position; then it registers and reads on. An acknowledgement covers all that was written before. So if it did
 * not begin at a position that is known to cover every commit in progress, it registers only once no commit can wait
 * any more that began to wait before.
 *
 * <p>Events arrive on the connection's event loop, which no other connection uses; the rest runs on the plugin's
 * executor. Fields are guarded by this, unless it is said otherwise. Nothing waits under the lock.
 */
final class Witness implements BinlogListener, BinlogEvents, SemiSyncReplica, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Witness.class);

    private static final String FUNCTION = "the witness (acknowledges what the black box keeps)";
    private static final long PAUSE_MILLIS = 100;
    private static final int ER_MASTER_FATAL = 1236;

    /** Time between two probes that find no commit waiting. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time in which a registered stream must show the mark. */
    private static final long UNMARKED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PluginContext context;
    private final PrimaryQueries queries;
    private final BlackBox box;
    private final boolean acknowledges;
    private final Keeping keeping;
    private final AccountUse account;
    /** Of the witness alone: what waits elsewhere must not delay a withdrawal. */
    private final ScheduledExecutorService executor;

    private final LongSupplier nanoClock;
    private final List<AutoCloseable> following = new ArrayList<>();
    private final Map<Withdrawal, Long> withdrawn = new EnumMap<>(Withdrawal.class);

    private @Nullable BinlogDump dump;
    private Phase phase = Phase.WITHDRAWN;
    private Withdrawal why = Withdrawal.BEHIND;
    private String cause = "it has only begun";
    private String remedy = Withdrawal.BEHIND.remedy();
    /** When it entered the phase, or its stream began. */
    private long sinceNanos;
    /** When it began to work, or ceased to. */
    private long changedNanos;

    private boolean worked;
    /** The primary's position when the present stream began: then it has caught up. */
    private @Nullable PrimaryFacts head;
    /** Since when commits may wait that the black box does not have; 0 if there are none. */
    private long unsettledNanos;
    /** When since then no commit waited for the first time; 0 if always some did. */
    private long calmNanos;

    /** Whether the primary has refused the position of the last stream. */
    private boolean refused;

    /** Whether semi-synchronous replication was switched off at the primary since. */
    private boolean off;

    /** Whether the primary answered nothing, as far as is known, that is not kept here. */
    private boolean whole;

    private boolean closed;
    /** Whether a stream has begun in the present phase. */
    private boolean streaming;

    private Future<?> stepping = NoTask.NONE;

    /** Acknowledgements of the present stream, while the primary counts on them. Written under the lock. */
    private volatile @Nullable Acknowledgements to;
    /** Whether the rest of the present stream is void. Written under the lock or on the event loop. */
    private volatile boolean broken;
    /** Whether commits waited at the last probe, and what had been received then. Used by {@link #probed}. */
    private boolean waited;

    private long receivedBefore;
    // Written on the event loop.
    private volatile long received;
    private @Nullable KeptTransaction last;
    /** Where the last transaction ends that is kept, of the present primary. */
    private volatile @Nullable BinlogEnd end;
    /** Number of the history of {@code end}. */
    private volatile long endHistory;
    /** What was acknowledged without a question. Used by {@link #repeat}. */
    private @Nullable BinlogEnd repeated;

    private enum Phase {
        /** Reads nothing until it can keep again. */
        WITHDRAWN,
        /** Reads, and is no replica to the primary. */
        CATCHING_UP,
        /** Has asked to be a replica. */
        REGISTERING,
        /** The primary may wait for it. */
        PRESENT
    }

    /** Where transactions are kept, and how they are acknowledged once they are. */
    interface Keeping {
        /**
         * Called on the event loop with each transaction that the black box has taken.
         *
         * @param to null if it is not to be acknowledged
         */
        void keep(KeptTransaction transaction, BinlogEnd end, @Nullable Acknowledgements to);

        /** Acknowledges, once all that came before is kept, everything up to there. On any thread. */
        void acknowledge(BinlogEnd upTo, Acknowledgements to);

        /** Returns whether transactions can be kept again. May wait; on the plugin's executor. */
        boolean mayContinue(Withdrawal after);

        /** Returns how many transactions were acknowledged for which the primary waited. */
        long acknowledged();
    }

    Witness(
            PluginContext context,
            PrimaryQueries queries,
            BlackBox box,
            boolean acknowledges,
            Keeping keeping,
            ScheduledExecutorService executor,
            LongSupplier nanoClock) {
        this.executor = executor;
        this.context = context;
        this.queries = queries;
        this.box = box;
        this.acknowledges = acknowledges;
        this.keeping = keeping;
        this.nanoClock = nanoClock;
        account = context.primary().accountUse(FUNCTION);
        sinceNanos = nanoClock.getAsLong();
        changedNanos = sinceNanos;
    }

    /** Begins. Called once. */
    void start() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (box.hasRestoredGap()) {
                unsettled();
            }
            following.add(context.primary().onChange(() -> withDump(this::primaryChanged)));
            following.add(context.primary().onReachable(() -> withDump(BinlogDump::primaryReachable)));
        }
        comeBack();
        stepping = executor.scheduleWithFixedDelay(this::step, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Called before {@link #start} with the reason why it cannot begin yet. */
    synchronized void cannotBegin(Withdrawal reason, String text) {
        if (why != reason || !cause.equals(text)) {
            count(reason, text);
            log.warn("black-box: nothing is kept or acknowledged ({}): {}", reason.label(), text);
        }
    }

    private void withDump(Consumer<BinlogDump> action) {
        BinlogDump present;
        synchronized (this) {
            present = dump;
        }
        if (present != null) {
            executor.execute(() -> action.accept(present));
        }
    }

    private void primaryChanged(BinlogDump present) {
        end = null;
        synchronized (this) {
            refused = false;
        }
        present.primaryChanged();
    }

    /** Reads again, without being registered at first. */
    private synchronized void comeBack() {
        if (closed || phase != Phase.WITHDRAWN) {
            return;
        }
        enter(Phase.CATCHING_UP);
        BinlogDump begun = new BinlogDump(context.primary().separateConnector(), queries, executor, this, this, this);
        dump = begun;
        begun.start();
    }

    private void enter(Phase next) {
        phase = next;
        off = false;
        streaming = false;
        sinceNanos = nanoClock.getAsLong();
        if (next != Phase.PRESENT) {
            to = null;
        }
        changed();
    }

    private void changed() {
        if (works() != worked) {
            worked = !worked;
            changedNanos = nanoClock.getAsLong();
        }
    }

    /** Returns whether it does what it is for: acknowledge, or without that, keep. */
    private boolean works() {
        return acknowledges ? isPresent() : streaming;
    }

    @Override
    public PrimaryFacts start(PrimaryFacts facts) throws SQLException {
        String position = isRefused() ? null : box.readUpTo(facts);
        if (position == null || box.history() != endHistory) {
            end = null;
        }
        boolean known = position != null;
        if (!known && !isRefused()) {
            // A log that has begun anew is read from its begin.
            position = box.isFollowing(facts) ? "" : LowestPosition.of(context.standbys(), facts.flavor());
        }
        synchronized (this) {
            head = facts;
            if (!known && phase == Phase.REGISTERING) {
                enter(Phase.CATCHING_UP);
            }
            if (position == null) {
                position = facts.position();
                unsettled();
            }
        }
        return facts.at(position);
    }

    private synchronized void accepted() {
        refused = false;
    }

    private synchronized boolean isRefused() {
        return refused;
    }

    @Override
    public synchronized boolean registers() {
        return phase == Phase.REGISTERING;
    }

    @Override
    public void onStart(PrimaryFacts facts, boolean replaced) {
        account.works();
        broken = false;
        received = 0;
        box.onStart(facts, replaced);
        synchronized (this) {
            streaming = true;
            sinceNanos = nanoClock.getAsLong();
            changed();
            if (phase != Phase.REGISTERING) {
                whole = false; // the primary lives, and may have answered meanwhile
            }
            if (why == Withdrawal.CONNECTION) {
                because(Withdrawal.BEHIND, "it reads what it has missed");
            }
        }
    }

    @Override
    public void onFormat(byte[] event) {
        box.onFormat(event);
    }

    @Override
    public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (!broken) {
            box.onEvent(buf, index, length, first, whole);
        }
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        last = null;
        if (broken) {
            return;
        }
        long before = received;
        received = before + 1;
        if (before == 0) {
            accepted();
        }
        EventRecorder.Taken taken = box.take(transaction);
        last = taken.kept();
        switch (taken.outcome()) {
            case NO_ROOM -> withdraw(Withdrawal.MEMORY, "there is no room for " + transaction.gtid());
            case PASSED_OVER, ANONYMOUS -> notKept(transaction);
            default -> {}
        }
    }

    /** One that will never be kept is passed over, and no acknowledgement may cover it while its client waits. */
    private void notKept(BinlogTransaction transaction) {
        boolean catching;
        synchronized (this) {
            unsettled();
            catching = phase == Phase.CATCHING_UP;
        }
        if (!catching) {
            withdraw(Withdrawal.TOO_LARGE, "transaction " + transaction.gtid() + " is not kept");
        }
    }

    @Override
    public void passed(BinlogEnd at, boolean awaited) {
        KeptTransaction kept = last;
        last = null;
        if (kept == null || broken) {
            return;
        }
        endHistory = kept.history.number;
        end = at;
        keeping.keep(kept, at, awaited ? to : null);
    }

    /** After a restart, commits may wait for what the log has: no event names their end again. */
    @Override
    public void idle(BinlogEnd at) {
        if (!broken && !at.file().isEmpty() && !at.equals(end)) {
            endHistory = box.history();
            end = at;
        }
    }

    private void catchUp() throws SQLException {
        PrimaryFacts goal;
        synchronized (this) {
            goal = head;
            if (!acknowledges || !streaming) {
                return;
            }
        }
        if (goal == null || box.hasReached(goal)) {
            register();
        }
    }

    /** Registers, once the primary is ready for it. */
    private void register() throws SQLException {
        SemiSyncSource source;
        DataSource primary = context.primary().dataSource();
        if (primary == null) {
            return;
        }
        long asked = nanoClock.getAsLong();
        try (ServerQueries server = ServerQueries.of(primary)) {
            source = SemiSyncSource.of(server);
        }
        synchronized (this) {
            if (closed || phase != Phase.CATCHING_UP || !streaming) {
                return;
            }
            head = null;
            if (!source.enabled()) {
                told(
                        Withdrawal.NO_SEMI_SYNC,
                        source.loaded()
                                ? "semi-synchronous replication is switched off at the primary"
                                : "the primary has no semi-synchronous replication (MySQL: the plugin is not loaded)");
            } else if (!isSettled(source, asked)) {
                told(Withdrawal.BEHIND, "commits wait that may have begun before it");
            } else {
                unsettledNanos = 0;
                enter(Phase.REGISTERING);
                BinlogDump present = dump;
                if (present != null) {
                    present.again();
                }
            }
        }
    }

    /**
     * Returns whether no client was told, as far as is known, of what is not kept here: the witness was present until
     * the primary's log ended.
     */
    synchronized boolean isWhole() {
        return whole;
    }

    private void unsettled() {
        unsettledNanos = nanoClock.getAsLong() | 1;
        calmNanos = 0;
    }

    /**
     * Returns whether no commit can wait any more that had begun when {@link #unsettled} was called: none waited twice,
     * or the time-out is over. Twice, because a transaction is in the position before its session counts as waiting.
     *
     * @param asked when the primary was queried
     */
    private boolean isSettled(SemiSyncSource source, long asked) {
        if (unsettledNanos == 0) {
            return true;
        }
        if (asked - unsettledNanos <= 0) {
            return false;
        }
        if (asked - unsettledNanos > TimeUnit.MILLISECONDS.toNanos(source.timeoutMillis()) + CALM_NANOS) {
            return true;
        }
        if (source.waiting() > 0) {
            return false;
        }
        if (calmNanos == 0) {
            calmNanos = asked | 1;
        }
        return asked - calmNanos >= CALM_NANOS;
    }

    private void told(Withdrawal reason, String text) {
        boolean news = why != reason;
        because(reason, text);
        if (news && reason == Withdrawal.NO_SEMI_SYNC) {
            log.warn("black-box: the witness does not acknowledge: {}; {}", text, reason.remedy());
        }
    }

    @Override
    public void registered(Acknowledgements by, String file) {
        BinlogEnd known = end;
        if (known != null && known.isBehind(file)) {
            known = null; // its files are gone: RESET MASTER
            end = null;
        }
        synchronized (this) {
            if (phase != Phase.REGISTERING) {
                return;
            }
            enter(Phase.PRESENT);
            to = by;
            whole = true;
            log.info("black-box: the witness acknowledges what it keeps, as a semi-synchronous replica of the primary");
        }
        if (known != null) {
            // Commits may wait for transactions that arrived before the registration, and nothing else may follow.
            keeping.acknowledge(known, by);
        }
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        account.refused(trouble.errorCode(), trouble.cause());
        box.onGap(trouble);
        synchronized (this) {
            if (phase == Phase.WITHDRAWN) {
                return;
            }
            if (trouble.errorCode() == ER_MASTER_FATAL && received == 0) {
                refused = true; // the position is purged
            }
            count(Withdrawal.CONNECTION, trouble.cause());
            if (!trouble.remedy().isEmpty()) {
                remedy = trouble.remedy();
            }
            enter(Phase.CATCHING_UP);
        }
    }

    private void count(Withdrawal reason, String text) {
        if (phase == Phase.PRESENT || phase == Phase.REGISTERING || why != reason) {
            withdrawn.merge(reason, 1L, Long::sum);
        }
        because(reason, text);
    }

    private void because(Withdrawal reason, String text) {
        why = reason;
        cause = text;
        remedy = reason.remedy();
    }

    /** Acknowledges nothing more until it can keep again. On any thread. */
    void withdraw(Withdrawal reason, String text) {
        broken = true;
        BinlogDump ended;
        synchronized (this) {
            if (closed) {
                return;
            }
            if (phase == Phase.WITHDRAWN) {
                because(reason, text);
                return;
            }
            boolean news = phase == Phase.PRESENT || why != reason;
            count(reason, text);
            whole = false;
            enter(Phase.WITHDRAWN);
            ended = dump;
            dump = null;
            if (news) {
                log.warn(
                        "black-box: {} ({}): {}; {}. It comes back by itself",
                        acknowledges
                                ? "the witness withdraws, and the primary waits for its other replicas or for its"
                                        + " time-out"
                                : "nothing more is kept",
                        reason.label(),
                        text,
                        reason.remedy());
            }
        }
        if (ended != null) {
            ended.stop();
        }
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.FAULT, "the witness has withdrawn: " + text, reason.remedy()));
    }

    /** Does what is due in the present phase. Called all the time, by one thread at a time. */
    private void step() {
        try {
            Phase now;
            Withdrawal reason;
            long since;
            synchronized (this) {
                now = phase;
                reason = why;
                since = nanoClock.getAsLong() - sinceNanos;
            }
            switch (now) {
                case WITHDRAWN -> {
                    if (keeping.mayContinue(reason)) {
                        comeBack();
                    }
                }
                case CATCHING_UP -> catchUp();
                case REGISTERING -> unmarked(since);
                case PRESENT -> repeat();
            }
        } catch (SQLException e) {
            log.debug("black-box: the primary cannot be asked about semi-synchronous replication", e);
        } catch (RuntimeException e) {
            // Thrown on, it would end the schedule.
            log.error("black-box: a fault of the witness", e);
        }
    }

    /** Goes back from a registration without effect: semi-synchronous replication was switched off meanwhile. */
    private synchronized void unmarked(long since) {
        if (phase == Phase.REGISTERING && streaming && since > UNMARKED_NANOS) {
            enter(Phase.CATCHING_UP);
            streaming = true;
            head = null;
        }
    }

    /** Acknowledges what the primary did not ask for, so that no commit waits for a question that did not come. */
    private void repeat() {
        BinlogEnd known = end;
        Acknowledgements by = to;
        if (known != null && by != null && !known.equals(repeated)) {
            keeping.acknowledge(known, by);
            repeated = known;
        }
    }

    /**
     * Called with each probe of the primary. If semi-synchronous replication is off, what comes later is acknowledged
     * all the same. If commits wait and nothing comes, the stream is dead, as after RESET MASTER on MariaDB.
     */
    void probed(SemiSyncSource source) {
        boolean dead = source.enabled() && source.waiting() > 0 && waited && received == receivedBefore && isPresent();
        waited = source.waiting() > 0;
        receivedBefore = received;
        if (dead) {
            withdraw(Withdrawal.CONNECTION, "commits wait at the primary, and its stream brings nothing");
            return;
        }
        semiSync(source.enabled());
    }

    private synchronized void semiSync(boolean enabled) {
        if (phase != Phase.PRESENT || off == !enabled) {
            return;
        }
        if (!enabled) {
            count(Withdrawal.NO_SEMI_SYNC, "semi-synchronous replication was switched off at the primary");
            log.warn("black-box: the witness has nothing to acknowledge: {}; {}", cause, why.remedy());
        } else {
            log.info("black-box: semi-synchronous replication is on again, and the witness acknowledges");
        }
        off = !enabled;
        whole = enabled;
        changed();
    }

    synchronized boolean isPresent() {
        return phase == Phase.PRESENT && !off;
    }

    synchronized long withdrawn(Withdrawal reason) {
        return withdrawn.getOrDefault(reason, 0L);
    }

    /** Returns the view for reports; of one that does not acknowledge, it has no {@code state}. */
    synchronized Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        boolean works = works();
        if (acknowledges) {
            view.put("state", works ? "present" : why == Withdrawal.BEHIND ? "behind" : "withdrawn");
            view.put("acknowledged", keeping.acknowledged());
        } else {
            view.put("keeps", works);
        }
        view.put("reason", works ? "" : why.label());
        view.put("cause", works ? "" : cause);
        view.put("remedy", works ? "" : remedy);
        view.put("sinceSeconds", TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - changedNanos));
        BinlogEnd last = end;
        view.put("upTo", last == null ? "" : last.file() + ":" + last.position());
        Map<String, Object> counts = new LinkedHashMap<>();
        withdrawn.forEach((reason, count) -> counts.put(reason.label(), count));
        view.put("withdrawn", counts);
        return view;
    }

    @Override
    public void close() {
        BinlogDump ended;
        synchronized (this) {
            closed = true;
            enter(Phase.WITHDRAWN);
            ended = dump;
            dump = null;
        }
        stepping.cancel(false);
        broken = true;
        if (ended != null) {
            ended.stop();
        }
        for (AutoCloseable each : following) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("a listener cannot be removed", e);
            }
        }
    }
}
