package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.WitnessState;
import java.time.Clock;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes commits off the event loops. Commits, transactions of the binary log and probes of the primary arrive
 * through one bounded queue and are processed by one thread at a time, in {@link #run}. All times were taken at their
 * origin, so a delay here does not change them.
 */
final class CommitWorker implements Runnable, CommitSink, BinlogListener {
    private static final Logger log = LoggerFactory.getLogger(CommitWorker.class);
    private static final int CAPACITY = 1 << 16;
    /** Places in the queue that a burst of commits, calls and transactions leaves to probes of the primary. */
    private static final int RESERVED = 256;

    private static final long COUNTED_WAITS = 100_000;
    private static final long REST_NANOS = BinlogDump.REST.toNanos();

    /** Receives every commit that was joined with its event, on the worker: for tests that must see each one. */
    interface JoinListener {
        void joined(Commit commit, BinlogTransaction event, Breakdown parts);
    }

    private record Ended(
            ProcedureCall call, long nanos, @Nullable String gtid) {}

    /** Another attribution is configured. */
    private record Configured(Attribution attribution) {}

    private final MpscArrayQueue<Object> queue = new MpscArrayQueue<>(CAPACITY);
    /**
     * What decides about all that follows and found no room: the stream's beginnings and gaps, and the configuration.
     * They are rare, and none may be lost.
     */
    private final Queue<Object> decisive = new ConcurrentLinkedQueue<>();

    /**
     * Ends of calls that found no room, of which none may be lost: no more than calls that found room. They are not
     * among the {@link #decisive}, where later events of the stream would have to wait behind them.
     */
    private final Queue<Ended> ends = new ConcurrentLinkedQueue<>();

    private final CommitMeters meters;
    private final CommitReport report;
    private final AttributionState attribution;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final boolean polled;
    private final JoinListener listener;
    private final WitnessState witness;

    private final GtidJoin join;
    private final ProcedureCommits procedures;
    private final SemiSyncClassifier classifier;
    private final GroupCommits groups;
    private final Exposure exposure = new Exposure(this::wall);
    private final SlowCommits slowCommits;
    private volatile long slowNanos;
    private volatile SemiSyncSample sample = SemiSyncSample.NONE;
    private volatile long countedMicros;
    /** Whether an acknowledgement means, at the last probe, that no earlier commit is on the primary alone. */
    private boolean covers = true;

    /**
     * @param polled whether the primary will be probed; otherwise the state of semi-synchronous replication is unknown
     */
    CommitWorker(
            CommitLatencyConfig config,
            CommitMeters meters,
            AttributionState attribution,
            Clock clock,
            LongSupplier nanoClock,
            boolean polled,
            JoinListener listener,
            WitnessState witness) {
        this.meters = meters;
        this.report = new CommitReport(config.rows());
        this.attribution = attribution;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.polled = polled;
        this.listener = listener;
        this.witness = witness;
        this.slowNanos = config.slow().toNanos();
        this.join = new GtidJoin(CAPACITY, config.expire().toNanos(), new Joined());
        this.procedures = new ProcedureCommits(config.expire().toNanos(), new Inside());
        this.classifier = new SemiSyncClassifier(CAPACITY, this::classified);
        this.slowCommits = new SlowCommits(nanoClock);
        this.groups = new GroupCommits(meters::group);
    }

    void slow(long nanos) {
        slowNanos = nanos;
    }

    /**
     * Changes the attribution of commits from now on. Called after the binary log's stream was left, or before it is
     * joined.
     */
    void attribution(Attribution next) {
        decides(new Configured(next));
    }

    @Override
    public void committed(Commit commit) {
        if (!queue.offerIfBelowThreshold(commit, CAPACITY - RESERVED)) {
            meters.commit(commit, SemiSync.UNKNOWN);
            meters.unattributed("overflow");
        }
    }

    @Override
    public boolean began(ProcedureCall call) {
        return queue.offerIfBelowThreshold(call, CAPACITY - RESERVED);
    }

    @Override
    public void ended(ProcedureCall call, long nanos, @Nullable String gtid) {
        Ended ended = new Ended(call, nanos, gtid);
        if (!queue.offerIfBelowThreshold(ended, CAPACITY - RESERVED)) {
            ends.add(ended); // a call without an end would have the commits of others for ever
        }
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        // Without room the transaction is lost: its commit will then be counted as not attributed.
        queue.offerIfBelowThreshold(transaction, CAPACITY - RESERVED);
    }

    @Override
    public void onStart(PrimaryFacts facts) {
        decides(facts);
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        decides(trouble);
    }

    private void decides(Object event) {
        // Once one has found no room, those that follow wait behind it.
        if (!decisive.isEmpty() || !queue.offer(event)) {
            decisive.add(event);
        }
    }

    /** Receives a round trip to the primary. Thread-safe. */
    void pinged(long nanos) {
        report.pinged(nanos);
    }

    /** Receives a probe's result. Thread-safe. */
    void sampled(SemiSyncSample probed) {
        queue.offer(probed); // without room the next one tells
    }

    /**
     * Returns how long the binary log may be left unread. While semi-synchronous replication is switched off, commits
     * wait for no acknowledgement and arrival times are of no use, so a rest saves a wake-up for each commit. No rest
     * while it has only fallen back to asynchronous, because any commit may see it recover. Thread-safe.
     */
    long restNanos() {
        return sample.state() == SemiSync.OFF ? REST_NANOS : 0;
    }

    @Override
    public synchronized void run() {
        work();
        long now = nanoClock.getAsLong();
        join.expire(now);
        procedures.expire(now);
    }

    /** Counts the commits still waiting. Called last: nothing may be passed to this worker afterwards. */
    synchronized void finish() {
        work();
        join.finish();
        procedures.finish();
        classifier.finish();
    }

    /** Returns what to process next: of what found no room, all that was queued before has been processed. */
    private @Nullable Object poll() {
        Object next = queue.poll();
        if (next == null) {
            next = decisive.poll();
        }
        return next == null ? ends.poll() : next;
    }

    private void work() {
        Object next = poll();
        while (next != null) {
            try {
                take(next);
            } catch (RuntimeException e) {
                // An executor does not repeat a periodic task that threw: one commit's fault must not end the
                // measurement.
                log.error("a commit or event could not be processed: {}", next, e);
            }
            next = poll();
        }
    }

    private void take(Object next) {
        if (next instanceof Commit commit) {
            commit(commit);
        } else if (next instanceof BinlogTransaction transaction) {
            groups.transaction(transaction);
            join.event(transaction);
        } else if (next instanceof ProcedureCall call) {
            procedures.began(call);
        } else if (next instanceof Ended ended) {
            ended(ended);
        } else if (next instanceof SemiSyncSample probed) {
            sample(probed);
        } else if (next instanceof BinlogTrouble trouble) {
            meters.gap(trouble.reason());
            attribution.trouble(trouble);
            join.gap();
            groups.gap();
        } else if (next instanceof PrimaryFacts facts) {
            procedures.primary(facts.serverId());
            join.gap();
            groups.gap();
            attribution.streaming();
        } else if (next instanceof Configured configured) {
            join.gap();
            groups.gap();
            attribution.configure(configured.attribution());
        }
    }

    private void commit(Commit commit) {
        Tracked tracked = new Tracked(commit);
        report.commit(commit);
        groups.commit(commit.latencyNanos());
        String gtid = commit.gtid();
        if (attribution.active() != Attribution.BINLOG) {
            unattributed(tracked, "no_binlog");
        } else if (gtid == null) {
            unattributed(tracked, "no_gtid");
        } else {
            join.commit(tracked, ReportedGtids.last(gtid));
        }
        if (polled) {
            classifier.commit(tracked);
        } else {
            meters.commit(commit, SemiSync.UNKNOWN);
        }
    }

    private void ended(Ended ended) {
        ReportedGtids reported = null;
        String text = ended.gtid();
        try {
            reported = text == null ? null : new ReportedGtids(text);
        } catch (IllegalArgumentException e) {
            log.debug("the GTIDs {} of a response cannot be read", text, e);
        }
        procedures.ended(ended.call(), ended.nanos(), reported);
        if (reported != null && attribution.active() != Attribution.BINLOG) {
            share(ended.call(), ended.nanos(), reported.count());
        }
    }

    /** Gives each of a call's commits the same share of its time: without the binary log their times are unknown. */
    private void share(ProcedureCall call, long endNanos, long commits) {
        long each = Math.max(0, endNanos - call.sentNanos()) / commits;
        for (long i = 0; i < Math.min(commits - 1, CAPACITY); i++) {
            long since = call.sentNanos() + i * each;
            inside(call.commit(null, since, since + each), 0, "no_binlog");
        }
    }

    private void inside(Commit commit, long bytes, String reason) {
        Tracked tracked = new Tracked(commit, bytes);
        report.commit(commit);
        groups.commit(commit.latencyNanos());
        unattributed(tracked, reason);
        SemiSync state = classifier.at(commit.okNanos());
        meters.commit(commit, state);
        if (state.unacknowledged() && exposure.current() != null) {
            exposure.unacknowledged(tracked, state);
        }
    }

    private final class Inside implements ProcedureCommits.Out {
        @Override
        public void found(ProcedureCall call, BinlogTransaction event, long sinceNanos) {
            inside(call.commit(event.gtid(), sinceNanos, event.lastNanos()), event.bytes(), "inside");
        }

        @Override
        public void unclear() {
            meters.unclaimed();
        }
    }

    private void unattributed(Tracked tracked, String reason) {
        meters.unattributed(reason);
        slowCommits.record(tracked, slowNanos);
    }

    private void attributed(Tracked tracked, BinlogTransaction event, Breakdown parts) {
        tracked.attributed(parts, event.bytes());
        meters.attributed(parts);
        report.attributed(tracked.commit(), parts);
        listener.joined(tracked.commit(), event, parts);
        slowCommits.record(tracked, slowNanos);
    }

    /**
     * Splits a commit that was joined with its event while semi-synchronous replication was believed off, as soon as
     * its state is decided. If the state is off, the commit waited for no acknowledgement. Otherwise it was switched on
     * meanwhile, and the event's time counts only if it was read as it arrived, not after a rest.
     */
    private void settle(Tracked tracked) {
        BinlogTransaction event = tracked.event();
        SemiSync state = tracked.state();
        if (event == null || state == null) {
            return;
        }
        if (state == SemiSync.OFF) {
            attributed(tracked, event, Breakdown.unwaited(tracked.commit().latencyNanos()));
        } else if (event.punctual()) {
            Commit commit = tracked.commit();
            attributed(tracked, event, Breakdown.of(commit.sentNanos(), event.lastNanos(), commit.okNanos(), 0));
        } else {
            unattributed(tracked, "late");
        }
    }

    private final class Joined implements GtidJoin.Out {
        @Override
        public void joined(Tracked tracked, BinlogTransaction event, long queuedNanos) {
            Commit commit = tracked.commit();
            // Another subscriber may have the log read as it arrives while this plugin allows a rest; the time does not
            // decide then either.
            if (!event.punctual() || restNanos() > 0) {
                tracked.met(event);
                settle(tracked);
                return;
            }
            long queued = sample.queuesCommits() ? queuedNanos : 0;
            attributed(tracked, event, Breakdown.of(commit.sentNanos(), event.lastNanos(), commit.okNanos(), queued));
        }

        @Override
        public void unmatched(BinlogTransaction event) {
            procedures.unmatched(event);
        }

        @Override
        public void unmatched(Tracked tracked, String reason) {
            unattributed(tracked, reason);
        }
    }

    private void sample(SemiSyncSample probed) {
        SemiSyncSample before = sample;
        sample = probed;
        covers = witness.coversEarlier();
        classifier.sample(probed);
        if (probed.known()) {
            groups.settings(probed.groupWaitCount(), probed.groupWaitMicros());
        }
        if (probed.known() && probed.on() && covers) {
            exposure.acknowledged(probed.receivedNanos());
        }
        if (probed.follows(before) && attribution.active() == Attribution.COUNTERS) {
            long waits = probed.waits() - before.waits();
            long micros = probed.waitMicros() - before.waitMicros();
            if (waits > 0 && micros >= 0) {
                countedMicros = micros / waits;
                meters.counted(countedMicros * 1_000, Math.min(waits, COUNTED_WAITS));
            }
        }
    }

    private void classified(Tracked tracked, SemiSync state) {
        Commit commit = tracked.commit();
        meters.commit(commit, state);
        tracked.classified(state);
        settle(tracked);
        if (state.unacknowledged()) {
            exposure.unacknowledged(tracked, state);
        } else if (state == SemiSync.ON && covers) {
            exposure.acknowledged(commit.okNanos());
        }
    }

    /** Returns the wall clock time of a monotonic time, by the wall clock's present offset. */
    private Instant wall(long nanos) {
        return clock.instant().minusNanos(nanoClock.getAsLong() - nanos);
    }

    /** Returns the view for {@code /api/commits}. Thread-safe. */
    CommitsView view() {
        return CommitsView.of(
                attribution,
                sample,
                countedMicros,
                exposure,
                groups,
                meters,
                report.prediction(nanoClock.getAsLong(), witness),
                report);
    }
}
