package io.understudy.plugins.blackbox.outcome;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.JdbcPrimaryQueries;
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
import java.util.function.Predicate;
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

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** Rounds in which a stream that is being read may bring what is unread by itself. */
    private static final int ROUNDS = 10;
    /** The same after a restart or a cut: what the stream itself brings tells more. */
    private static final int ROUNDS_OF_SAME = 50;

    private static final int MOST_PENDING = 10_000;

    private final PluginContext context;
    private final Traces traces;
    private final PrimaryOrder order;
    private final Outcomes outcomes;
    private final Runnable beforeJudging;
    private final Predicate<Trace> openElsewhere;
    private final Runnable readAgain;
    private final Consumer<OutcomeRecord> out;
    private final LongSupplier nanoClock;
    private final Judge judge;
    private final Map<Verdict, Counter> counters = new EnumMap<>(Verdict.class);
    private final Queue<Pending> arriving = new ConcurrentLinkedQueue<>();
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    /** Used by {@link #run} alone, as the fields behind it. */
    private final List<Pending> pending = new ArrayList<>();

    private @Nullable UnreadLog reading;
    private int unreadRounds;

    private record Told(long session, long command, Verdict verdict) {}

    private static final class Pending {
        private final UnansweredStatement lost;
        private final CompletableFuture<Outcome> stage = new CompletableFuture<>();
        private volatile String reason = "the primary has not responded since";

        private Pending(UnansweredStatement lost) {
            this.lost = lost;
        }
    }

    /**
     * @param beforeJudging takes over the OKs that sessions have seen
     * @param openElsewhere whether a session that goes on may have written the transaction; asked before that
     * @param readAgain ends the pause of a stream that is away, as the primary responds
     * @param out keeps what is settled
     */
    public OutcomeFinder(
            PluginContext context,
            Traces traces,
            PrimaryOrder order,
            Outcomes outcomes,
            Runnable beforeJudging,
            Predicate<Trace> openElsewhere,
            Runnable readAgain,
            Consumer<OutcomeRecord> out,
            LongSupplier nanoClock) {
        this.context = context;
        this.traces = traces;
        this.order = order;
        this.outcomes = outcomes;
        this.beforeJudging = beforeJudging;
        this.openElsewhere = openElsewhere;
        this.readAgain = readAgain;
        this.out = out;
        this.nanoClock = nanoClock;
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

    /**
     * Called when a statement was lost.
     *
     * @return completes at the latest when the patience is over
     */
    public CompletionStage<Outcome> lost(UnansweredStatement lost, Duration patience) {
        Pending next = new Pending(lost);
        record(next, Verdict.UNKNOWN, "", next.reason, false);
        if (waiting.incrementAndGet() > MOST_PENDING) {
            waiting.decrementAndGet();
            settle(next, Judgement.unknown("too many statements were lost at once"));
            return next.stage;
        }
        arriving.add(next);
        if (!patience.isZero()) {
            CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> next.stage.complete(new Outcome.Unknown(next.reason)));
        }
        return next.stage;
    }

    /** Called when a client was told. */
    public void told(long session, long command, Outcome outcome) {
        told.add(new Told(session, command, verdict(outcome)));
    }

    private void recordTold() {
        for (Told next = told.poll(); next != null; next = told.poll()) {
            for (OutcomeRecord each : outcomes.find(Outcomes.Filter.ANY)) {
                if (each.session() == next.session
                        && each.command() == next.command
                        && each.verdict() == next.verdict) {
                    OutcomeRecord recorded = each.asTold();
                    outcomes.add(recorded);
                    if (recorded.settled()) {
                        out.accept(recorded);
                    }
                }
            }
        }
    }

    @Override
    public void run() {
        try {
            recordTold();
            for (Pending next = arriving.poll(); next != null; next = arriving.poll()) {
                pending.add(next);
            }
            if (pending.isEmpty() && !order.isUnidentified()) {
                close();
                return;
            }
            DataSource primary = context.primary().dataSource();
            if (primary != null) {
                judge(primary);
            }
        } catch (SQLException e) {
            log.debug("black-box: the primary cannot be asked what it has committed", e);
        } catch (RuntimeException e) {
            // Thrown on, it would end the schedule.
            log.error("black-box: a fault while lost statements were judged", e);
        }
        giveUp();
    }

    private void judge(DataSource primary) throws SQLException {
        long generation = order.generation();
        JdbcPrimaryQueries queries = new JdbcPrimaryQueries(primary, context.primary()::isUnreachable);
        PrimaryLook look = PrimaryLook.of(primary, queries, nanoClock);
        order.identified(generation, look.server());
        GtidNumbers unread = new GtidNumbers();
        for (Pending each : List.copyOf(pending)) {
            Judgement judgement = of(each, look);
            unread.addAll(judgement.unread());
            if (judgement.settled()) {
                settle(each, judgement);
                pending.remove(each);
                waiting.decrementAndGet();
            } else if (judgement.outcome() instanceof Outcome.Unknown unknown) {
                open(each, unknown.reason());
            }
        }
        read(unread, look, queries);
    }

    private Judgement of(Pending each, PrimaryLook look) {
        // A session's texts are forgotten only after its OK was passed on.
        List<Trace> contended = new ArrayList<>();
        Predicate<Trace> others = trace -> openElsewhere.test(trace) || isContended(trace, each);
        for (Trace trace : traces.unattributed(each.lost.sentNanos())) {
            if (others.test(trace)) {
                contended.add(trace);
            }
        }
        beforeJudging.run();
        List<ServerIdentity> possible = order.of(each.lost);
        if (possible.isEmpty()) {
            return Judgement.open("which server it was sent to is not known");
        }
        Judgement first = judge.of(each.lost, possible.get(0), look, contended::contains);
        for (ServerIdentity other : possible.subList(1, possible.size())) {
            Judgement next = judge.of(each.lost, other, look, contended::contains);
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

    private boolean isContended(Trace trace, Pending by) {
        return pending.stream().anyMatch(each -> each != by && AnnotatedTexts.mayBe(trace, each.lost.texts()));
    }

    /** Reads what the stream of the black box does not bring. */
    private void read(GtidNumbers unread, PrimaryLook look, JdbcPrimaryQueries queries) {
        UnreadLog present = reading;
        if (present != null && present.isEnded()) {
            close();
            present = null;
        }
        unreadRounds = unread.isEmpty() ? 0 : unreadRounds + 1;
        if (unreadRounds % ROUNDS == 1) {
            readAgain.run();
        }
        int rounds = traces.reads(look.server()) ? ROUNDS_OF_SAME : ROUNDS;
        if (present == null && unreadRounds > rounds) {
            unreadRounds = 0;
            UnreadLog next = new UnreadLog(traces, unread, look, context.primary(), queries, context.executor());
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
        Outcome outcome = judgement.outcome();
        Trace transaction = judgement.transaction();
        if (transaction != null) {
            traces.resolved(transaction);
        }
        Verdict verdict = verdict(outcome);
        Objects.requireNonNull(counters.get(verdict)).increment();
        OutcomeRecord settled = record(
                each,
                verdict,
                transaction == null ? "" : transaction.gtid(),
                outcome instanceof Outcome.Unknown unknown ? unknown.reason() : "",
                true);
        out.accept(settled);
        each.stage.complete(outcome);
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
                false);
        outcomes.add(next);
        return next;
    }

    private void giveUp() {
        long now = nanoClock.getAsLong();
        for (Pending each : List.copyOf(pending)) {
            if (now - each.lost.sentNanos() > LONGEST_NANOS) {
                settle(each, Judgement.unknown(each.reason));
                pending.remove(each);
                waiting.decrementAndGet();
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
