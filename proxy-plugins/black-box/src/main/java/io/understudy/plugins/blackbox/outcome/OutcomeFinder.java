package io.understudy.plugins.blackbox.outcome;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.JdbcPrimaryQueries;
import io.understudy.plugins.blackbox.outcome.Judge.Judgement;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import io.understudy.servers.GtidNumbers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what became of lost statements: asks the primary again and again, for ten minutes at most, also when nobody
 * waits any longer. {@link #lost} and {@link #told} are called by sessions and never wait; {@link #run} by one thread
 * at a time.
 */
public final class OutcomeFinder implements Runnable, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OutcomeFinder.class);

    static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    static final String SILENT = "the primary does not respond";
    /** Time in which a stream that is being read may bring what is unread by itself. */
    private static final long UNREAD_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The same after a restart or a cut: what the stream itself brings tells more. */
    private static final long UNREAD_OF_SAME_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Pause between two looks at the primary for which no client waits. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int MOST_PENDING = 10_000;

    private final PluginContext context;
    private final Looks looks;
    private final Traces traces;
    private final PrimaryOrder order;
    private final Outcomes outcomes;
    private final Runnable beforeJudging;
    private final Runnable readAgain;
    private final Consumer<OutcomeRecord> out;
    private final LongSupplier nanoClock;
    private final Judge judge;
    private final Map<Verdict, Counter> counters = new EnumMap<>(Verdict.class);
    /** What sessions have said, in their order: a client may be told before its statement is taken over. */
    private final Queue<Runnable> arriving = new ConcurrentLinkedQueue<>();

    private final AtomicInteger waiting = new AtomicInteger();
    /** Used by {@link #run} alone, as the fields behind it. */
    private final List<Pending> pending = new ArrayList<>();

    private @Nullable UnreadLog reading;
    /** Since when something is unread; null if nothing is. */
    private @Nullable Long unreadNanos;

    private long lookedNanos;
    private long againNanos;
    /** The server whose log was read when the primary was last found to be that. */
    private @Nullable ServerIdentity identified;

    /** Looks at the primary. */
    @FunctionalInterface
    public interface Looks {
        /** Returns what it says of itself; null if there is none. */
        @Nullable
        PrimaryLook look() throws SQLException;
    }

    private static final class Pending {
        private final UnansweredStatement lost;
        private final boolean awaited;
        private final CompletableFuture<Outcome> stage = new CompletableFuture<>();
        private volatile String reason = "the primary has not responded since";

        private Pending(UnansweredStatement lost, boolean awaited) {
            this.lost = lost;
            this.awaited = awaited;
        }
    }

    /**
     * @param beforeJudging takes over the OKs that sessions have seen
     * @param readAgain ends the pause of a stream that is away, as the primary responds
     * @param out keeps what is settled
     */
    public OutcomeFinder(
            PluginContext context,
            Looks looks,
            Traces traces,
            PrimaryOrder order,
            Outcomes outcomes,
            Runnable beforeJudging,
            Runnable readAgain,
            Consumer<OutcomeRecord> out,
            LongSupplier nanoClock) {
        this.context = context;
        this.looks = looks;
        this.traces = traces;
        this.order = order;
        this.outcomes = outcomes;
        this.beforeJudging = beforeJudging;
        this.readAgain = readAgain;
        this.out = out;
        this.nanoClock = nanoClock;
        lookedNanos = nanoClock.getAsLong() - PAUSE_NANOS;
        againNanos = nanoClock.getAsLong() - UNREAD_NANOS;
        judge = new Judge(traces);
        MeterRegistry meters = context.meters();
        for (Verdict each : Verdict.values()) {
            counters.put(
                    each,
                    Counter.builder("understudy.outcomes")
                            .description("Statements whose response never came, by what became of them")
                            .tag("outcome", each.label())
                            .register(meters));
        }
    }

    /** Returns what looks at the primary of the proxy. */
    public static Looks looks(PluginContext context, LongSupplier nanoClock) {
        return () -> {
            DataSource primary = context.primary().dataSource();
            return primary == null ? null : PrimaryLook.of(primary, queries(context, primary), nanoClock);
        };
    }

    /** Returns what the primary says of itself; null if it does not respond. */
    static @Nullable PrimaryLook tried(Looks looks) {
        try {
            return looks.look();
        } catch (SQLException e) {
            return null;
        }
    }

    private static JdbcPrimaryQueries queries(PluginContext context, DataSource primary) {
        return new JdbcPrimaryQueries(primary, context.primary()::isUnreachable);
    }

    /**
     * Called when a statement was lost.
     *
     * @return completes at the latest when the patience is over
     */
    public CompletionStage<Outcome> lost(UnansweredStatement lost, Duration patience) {
        Pending next = new Pending(lost, !patience.isZero());
        if (waiting.incrementAndGet() > MOST_PENDING) {
            waiting.decrementAndGet();
            Judgement unknown = Judgement.unknown("too many statements were lost at once");
            found(next, unknown);
            next.stage.complete(unknown.outcome());
            return next.stage;
        }
        record(next, Verdict.UNKNOWN, "", next.reason, false);
        arriving.add(() -> arrived(next));
        if (lost.effect() == UnansweredStatement.Effect.NONE) {
            next.stage.complete(new Outcome.NotCommitted());
        } else if (!patience.isZero()) {
            CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> next.stage.complete(new Outcome.Unknown(next.reason)));
        }
        return next.stage;
    }

    /** Called when a client was told. */
    public void told(long session, long command, Outcome outcome) {
        arriving.add(() -> recordTold(session, command, verdict(outcome)));
    }

    private void arrived(Pending next) {
        if (next.lost.effect() == UnansweredStatement.Effect.NONE) {
            settle(next, Judgement.notCommitted());
        } else {
            pending.add(next);
        }
    }

    private void recordTold(long session, long command, Verdict verdict) {
        for (OutcomeRecord each : outcomes.find(Outcomes.Filter.ANY)) {
            if (each.session() == session && each.command() == command && each.verdict() == verdict) {
                OutcomeRecord recorded = each.asTold();
                outcomes.add(recorded);
                if (recorded.settled()) {
                    out.accept(recorded);
                }
            }
        }
    }

    @Override
    public void run() {
        try {
            for (Runnable next = arriving.poll(); next != null; next = arriving.poll()) {
                next.run();
            }
            giveUp();
            if (pending.isEmpty() && !mayBeAnotherPrimary()) {
                close();
            } else if (isAwaited() || nanoClock.getAsLong() - lookedNanos >= PAUSE_NANOS) {
                judge();
            }
        } catch (SQLException e) {
            log.debug("black-box: the primary cannot be asked what it has committed", e);
        } catch (RuntimeException e) {
            // Thrown on, it would end the schedule.
            log.error("black-box: a fault while lost statements were judged", e);
        }
    }

    /** The server behind an address can become another one without a word: the stream that begins anew notices it. */
    private boolean mayBeAnotherPrimary() {
        ServerIdentity read = traces.reading();
        return order.isUnidentified() || read != null && !read.equals(identified);
    }

    private boolean isAwaited() {
        return pending.stream().anyMatch(each -> each.awaited && !each.stage.isDone());
    }

    private void judge() throws SQLException {
        long generation = order.generation();
        ServerIdentity read = traces.reading();
        GtidNumbers seen = traces.seen();
        PrimaryLook look = looks.look();
        if (look == null) {
            return;
        }
        lookedNanos = nanoClock.getAsLong();
        order.identified(generation, look.server());
        identified = look.server().equals(read) ? read : identified;
        if (!look.server().own(seen).minus(look.has()).isEmpty()) {
            pending.forEach(each -> open(
                    each,
                    "the primary lacks transactions that its binary log had: its log was reset, or a crash took them"));
            return;
        }
        beforeJudging.run();
        GtidNumbers unread = new GtidNumbers();
        for (Pending each : List.copyOf(pending)) {
            Judgement judgement = of(each, look);
            unread.addAll(judgement.unread());
            if (judgement.settled()) {
                settle(each, judgement);
            } else if (judgement.outcome() instanceof Outcome.Unknown unknown) {
                open(each, unknown.reason());
            }
        }
        read(unread, look);
    }

    private Judgement of(Pending each, PrimaryLook look) {
        List<ServerIdentity> possible = order.of(each.lost);
        if (possible.isEmpty()) {
            return Judgement.open("which server it was sent to is not known");
        }
        if (possible.contains(look.server()) && order.isBack(each.lost.sentNanos())) {
            return Judgement.open(PrimaryOrder.BACK);
        }
        Judgement first = judge.of(each.lost, possible.get(0), look);
        for (ServerIdentity other : possible.subList(1, possible.size())) {
            Judgement next = judge.of(each.lost, other, look);
            if (!(first.outcome() instanceof Outcome.NotCommitted)
                    || !(next.outcome() instanceof Outcome.NotCommitted)) {
                return new Judgement(
                        new Outcome.Unknown("whether it was sent to "
                                + possible.get(0).label() + " or " + other.label() + " is not known"),
                        false,
                        null,
                        first.unread().isEmpty() ? next.unread() : first.unread());
            }
        }
        return first;
    }

    /** Reads what the stream of the black box does not bring. */
    private void read(GtidNumbers unread, PrimaryLook look) {
        UnreadLog present = reading;
        if (present != null && present.isEnded()) {
            close();
            present = null;
        }
        long now = nanoClock.getAsLong();
        Long since = unread.isEmpty() ? null : unreadNanos == null ? Long.valueOf(now) : unreadNanos;
        unreadNanos = since;
        if (since != null && now - againNanos >= UNREAD_NANOS) {
            againNanos = now;
            readAgain.run();
        }
        long patience = look.server().equals(traces.reading()) ? UNREAD_OF_SAME_NANOS : UNREAD_NANOS;
        DataSource primary = context.primary().dataSource();
        if (present == null && primary != null && since != null && now - since >= patience) {
            unreadNanos = null;
            UnreadLog next = new UnreadLog(
                    traces, unread, look, context.primary(), queries(context, primary), context.executor());
            reading = next;
            next.start();
        }
    }

    private void open(Pending each, String reason) {
        if (!each.reason.equals(reason)) {
            each.reason = reason;
            record(each, Verdict.UNKNOWN, "", reason, false);
        }
    }

    private void settle(Pending each, Judgement judgement) {
        pending.remove(each);
        waiting.decrementAndGet();
        Trace transaction = judgement.transaction();
        if (transaction != null) {
            traces.resolved(transaction);
        }
        OutcomeRecord settled = found(each, judgement);
        each.stage.complete(judgement.outcome());
        out.accept(settled);
    }

    private OutcomeRecord found(Pending each, Judgement judgement) {
        Outcome outcome = judgement.outcome();
        Trace transaction = judgement.transaction();
        Verdict verdict = verdict(outcome);
        Objects.requireNonNull(counters.get(verdict)).increment();
        return record(
                each,
                verdict,
                transaction == null ? "" : transaction.gtid(),
                outcome instanceof Outcome.Unknown unknown ? unknown.reason() : "",
                true);
    }

    private static Verdict verdict(Outcome outcome) {
        return outcome instanceof Outcome.Committed
                ? Verdict.COMMITTED
                : outcome instanceof Outcome.NotCommitted ? Verdict.NOT_COMMITTED : Verdict.UNKNOWN;
    }

    private OutcomeRecord record(Pending each, Verdict verdict, String gtid, String reason, boolean settled) {
        UnansweredStatement lost = each.lost;
        List<ServerIdentity> possible = order.of(lost);
        OutcomeRecord next = new OutcomeRecord(
                lost.when(),
                lost.session(),
                lost.command(),
                possible.size() == 1 ? possible.get(0).label() : "",
                lost.thread(),
                lost.user(),
                lost.digest(),
                lost.kind(),
                lost.token(),
                verdict,
                gtid,
                reason,
                settled,
                false,
                0);
        outcomes.add(next);
        return next;
    }

    private void giveUp() {
        long now = nanoClock.getAsLong();
        for (Pending each : List.copyOf(pending)) {
            if (now - each.lost.sentNanos() > LONGEST_NANOS) {
                settle(each, Judgement.unknown(each.reason));
            }
        }
    }

    /** Ends what it reads. */
    @Override
    public void close() {
        UnreadLog present = reading;
        reading = null;
        if (present != null) {
            present.close();
        }
    }
}
