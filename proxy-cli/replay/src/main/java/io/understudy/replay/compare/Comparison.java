package io.understudy.replay.compare;

import io.netty.channel.EventLoopGroup;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.replay.EventModes;
import io.understudy.replay.Selection;
import io.understudy.replay.compare.ResultPrint.Relation;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import io.understudy.sql.SqlAnalyzer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Executes the reads of a log on two servers in turns, one at a time: each statement twice on either, in the order A B
 * B A or B A A B. A result that differs between the two executions on one server says nothing about the servers. The
 * shorter execution is the statement's time, so that a page already in memory does not count as speed.
 */
public final class Comparison implements AutoCloseable {
    /** How the reason begins for statements whose settings a server refused; its letter and why follow. */
    static final String REFUSED = "settings_refused_";

    private static final int DIGESTS = 10_000;
    /** The largest number of differences of one digest that are executed again, in case one server only lagged. */
    private static final int CHECKED_AGAIN = 5;

    private static final long[] AGAIN_MILLIS = {300, 1000};

    private final CompareOptions options;
    private final NetworkTransport transport = NetworkTransport.resolve(Transport.AUTO);
    private final EventLoopGroup loops = transport.relayGroup(1, "compare");
    private final ComparedServer a;
    private final ComparedServer b;
    private final Selection selection;
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final EventModes modes = new EventModes();
    private final Map<Long, DigestComparison> digests = new LinkedHashMap<>();
    private final Map<String, Long> leftOut = new TreeMap<>();
    private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();
    private final AtomicLong executed = new AtomicLong();
    private boolean firstOnA = true;
    private boolean atItsTime;

    public Comparison(CompareOptions options) {
        this.options = options;
        this.selection = new Selection(options.filter());
        a = new ComparedServer(transport, loops, options.a(), options.timeout(), this::isStopped);
        b = new ComparedServer(transport, loops, options.b(), options.timeout(), this::isStopped);
    }

    private boolean isStopped() {
        return stopped.get() != null;
    }

    /**
     * Ends the comparison within a second, whatever a server does; what was executed until then is judged. Thread-safe.
     */
    public void stop(String reason) {
        stopped.compareAndSet(null, reason);
    }

    /** Returns why the comparison was stopped, or null. */
    public @Nullable String stopped() {
        return stopped.get();
    }

    /** Returns the number of statements executed so far. Thread-safe. */
    public long executed() {
        return executed.get();
    }

    Collection<DigestComparison> digests() {
        return digests.values();
    }

    Map<String, Long> leftOut() {
        return leftOut;
    }

    String nameA() {
        return a.name();
    }

    String nameB() {
        return b.name();
    }

    /**
     * Executes the log to its end, or until it is stopped, and judges. A server that is lost stops it.
     *
     * @throws IOException if a server cannot be reached at the beginning
     */
    public void run(StatementLog log) throws IOException, InterruptedException {
        a.open();
        b.open();
        atItsTime = a.acceptsClock() && b.acceptsClock();
        for (LogEvent event = next(log); event != null && !isStopped(); event = next(log)) {
            if (event.kind() == LogEvent.Kind.STATEMENT) {
                String reason = selection.leftOut(event);
                if (reason == null) {
                    reason = compareUnlessLost(event);
                }
                if (reason != null) {
                    leftOut.merge(reason, 1L, Long::sum);
                }
            }
        }
        TimeJudge.judge(digests.values());
    }

    /** Returns the next event, or null at the end; where the log is damaged, the comparison is stopped. */
    private @Nullable LogEvent next(StatementLog log) {
        try {
            return log.next();
        } catch (IOException e) {
            stop(String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Returns whether {@code NOW()} returned the times of the log: both servers accept them. */
    boolean atItsTime() {
        return atItsTime;
    }

    private @Nullable String compareUnlessLost(LogEvent event) throws InterruptedException {
        try {
            return compare(event);
        } catch (IOException e) {
            stop(String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Returns null, or why the statement was not executed. */
    private @Nullable String compare(LogEvent event) throws IOException, InterruptedException {
        byte[] text = event.text();
        int modes = this.modes.of(event);
        long digest = analyzer.digest(text, 0, text.length, modes);
        DigestComparison found = digests.get(digest);
        if (found == null) {
            if (digests.size() == DIGESTS) {
                return "too_many_digests";
            }
            found = new DigestComparison(digest, analyzer.normalize(text, 0, text.length, modes));
            digests.put(digest, found);
        }
        if (found.executions >= options.executions() || found.stuck()) {
            return "executed_enough";
        }
        // Under other settings the same text means something else: a difference would say nothing.
        String refused = refused("a", a.adopt(event.settings()));
        if (refused == null) {
            refused = refused("b", b.adopt(event.settings()));
        }
        if (refused != null) {
            return refused;
        }
        executed.incrementAndGet();
        found.executions++;
        firstOnA = !firstOnA;
        ResultPrint[] onA = new ResultPrint[2];
        ResultPrint[] onB = new ResultPrint[2];
        try {
            (firstOnA ? onA : onB)[0] = run(firstOnA ? a : b, event);
            (firstOnA ? onB : onA)[0] = run(firstOnA ? b : a, event);
            (firstOnA ? onB : onA)[1] = run(firstOnA ? b : a, event);
            (firstOnA ? onA : onB)[1] = run(firstOnA ? a : b, event);
        } catch (IOException e) {
            noteLost(found, event, onA[0], onB[0]);
            throw e;
        }
        note(found, event, onA, onB);
        return null;
    }

    private static @Nullable String refused(String server, @Nullable String reason) {
        return reason == null ? null : REFUSED + server + "_" + reason;
    }

    private ResultPrint run(ComparedServer server, LogEvent event) throws IOException, InterruptedException {
        return server.run(event, atItsTime);
    }

    /** Notes the statement that a server did not survive: it cannot be executed twice on either. */
    private static void noteLost(
            DigestComparison found, LogEvent event, @Nullable ResultPrint onA, @Nullable ResultPrint onB) {
        boolean lostA = onA != null && onA.isLost();
        boolean lostB = onB != null && onB.isLost();
        if (lostA || lostB) {
            found.relation(Relation.ERROR, event.text(), event.schema());
            found.errors.merge(codeOrNone(onA) + " / " + codeOrNone(onB), 1, Integer::sum);
        }
    }

    private static String codeOrNone(@Nullable ResultPrint print) {
        return print == null ? "not executed" : code(print);
    }

    private void note(DigestComparison found, LogEvent event, ResultPrint[] onA, ResultPrint[] onB)
            throws IOException, InterruptedException {
        boolean timeoutA = onA[0].timedOut() || onA[1].timedOut();
        boolean timeoutB = onB[0].timedOut() || onB[1].timedOut();
        found.timeoutsA += timeoutA ? 1 : 0;
        found.timeoutsB += timeoutB ? 1 : 0;
        if (timeoutA || timeoutB) {
            return;
        }
        found.rowsA += onA[1].result().rows();
        found.rowsB += onB[1].result().rows();
        found.cut += onA[1].result().partial() || onB[1].result().partial() ? 1 : 0;
        Relation relation = onA[1].to(onB[1]);
        if (onA[0].to(onA[1]) != Relation.EQUAL || onB[0].to(onB[1]) != Relation.EQUAL) {
            found.unstable++;
        } else if (relation.compareTo(Relation.DIFFERENT) >= 0 && passes(found, event)) {
            found.unstable++;
        } else {
            found.relation(relation, event.text(), event.schema());
            if (relation.compareTo(Relation.DIFFERENT) >= 0) {
                boolean likeA = onA[1].isLike(event.result());
                boolean likeB = onB[1].isLike(event.result());
                // A capture hashes the begin of a row. If both have it, it cannot tell which server has the whole row.
                found.capturedLikeA += likeA && !likeB ? 1 : 0;
                found.capturedLikeB += likeB && !likeA ? 1 : 0;
            }
            if (relation == Relation.ERROR) {
                found.errors.merge(code(onA[1]) + " / " + code(onB[1]), 1, Integer::sum);
            }
        }
        if (onA[1].error() == 0 && onB[1].error() == 0) {
            found.pair(
                    Math.min(onA[0].nanos(), onA[1].nanos()),
                    Math.min(onB[0].nanos(), onB[1].nanos()),
                    event.text(),
                    event.schema());
        } else if (relation == Relation.EQUAL) {
            found.failedOnBoth++;
        }
    }

    private static String code(ResultPrint print) {
        return print.error() == 0 ? "ok" : String.valueOf(print.error());
    }

    /** Returns whether a difference goes away by itself, as while one server applies what the other one has. */
    private boolean passes(DigestComparison found, LogEvent event) throws IOException, InterruptedException {
        if (found.count(Relation.DIFFERENT) + found.count(Relation.ERROR) >= CHECKED_AGAIN) {
            return false;
        }
        for (long millis : AGAIN_MILLIS) {
            TimeUnit.MILLISECONDS.sleep(millis);
            if (run(a, event).to(run(b, event)).compareTo(Relation.DIFFERENT) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns EXPLAIN of a statement on A and B, each as lines of cells, or one line that says why not. */
    List<List<List<String>>> explain(DigestComparison.Example example) throws InterruptedException {
        List<List<List<String>>> plans = new ArrayList<>();
        for (ComparedServer server : List.of(a, b)) {
            try {
                byte[] explain = "EXPLAIN ".getBytes(StandardCharsets.US_ASCII);
                byte[] sql = Arrays.copyOf(explain, explain.length + example.text().length);
                System.arraycopy(example.text(), 0, sql, explain.length, example.text().length);
                plans.add(server.rows(sql, example.schema()));
            } catch (IOException e) {
                plans.add(List.of(List.of("no plan: " + e.getMessage())));
            }
        }
        return plans;
    }

    @Override
    public void close() {
        a.close();
        b.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        transport.closeNames();
    }
}
