package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges a lost statement by the binary log. It is committed if the present primary has the one transaction of its
 * thread that arrived after it was sent and that no client was told of; it is not if there is none, the log was read to
 * an end behind which there can be none, and nothing was forgotten. All else is unknown.
 */
final class Judge {
    /** An OK comes that soon behind its transaction, unless the writer does not use this proxy. */
    private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LATELY_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Of {@link io.understudy.sql.StatementKind#label}. */
    private static final Set<String> MAY_CHANGE_SCHEMA = Set.of("ddl", "admin", "call", "prepare", "other");

    private final Traces traces;

    Judge(Traces traces) {
        this.traces = traces;
    }

    /**
     * Returns what is known.
     *
     * @param on the server that it was sent to
     * @param contended whether others may have written a transaction of an unknown thread
     */
    Judgement of(UnansweredStatement lost, ServerIdentity on, PrimaryLook look, Predicate<Trace> contended) {
        if (look.readOnly()) {
            return Judgement.open("the primary is read-only: it may not stay the primary");
        }
        boolean same = look.server().equals(on);
        boolean restarted = same && lost.openedNanos() - look.earliestNanos() < 0;
        String moving = !same ? look.applies() : restarted ? null : running(lost, look);
        if (moving != null) {
            return Judgement.open(moving);
        }
        GtidNumbers unread = traces.unread(on, look.server(), look.has(), lost.sentNanos());
        if (!unread.isEmpty()) {
            return Judgement.unread(unread);
        }
        if (!traces.remembersSince(lost.sentNanos())) {
            return Judgement.unknown("too many transactions of other writers came since");
        }
        List<Trace> found = traces.unanswered(on, lost.thread(), lost.sentNanos());
        if (found.isEmpty()) {
            return withoutThread(lost, on, look, restarted, contended);
        }
        return withThread(lost, on, found, look, restarted);
    }

    private static @Nullable String running(UnansweredStatement lost, PrimaryLook look) {
        if (look.threads() == null) {
            return "whether connection " + lost.thread()
                    + " still runs there is not to be seen: GRANT PROCESS ON *.* to the account of primary.monitor";
        }
        return look.threads().contains(lost.thread())
                ? "connection " + lost.thread() + " still exists at the primary, and may still commit"
                : null;
    }

    private Judgement withThread(
            UnansweredStatement lost, ServerIdentity on, List<Trace> found, PrimaryLook look, boolean restarted) {
        Trace one = found.get(0);
        String gtids = found.stream().map(Trace::gtid).collect(Collectors.joining(", "));
        if (!look.has().contains(one.source(), one.number())) {
            return Judgement.open("its transaction " + gtids
                    + " is in the old primary's log, and the primary lacks it: understudy rescue applies it");
        }
        if (lost.effect() == UnansweredStatement.Effect.SEVERAL) {
            return Judgement.unknown("it may have committed in several parts, and has committed " + gtids
                    + ": whether that is all of it is not known");
        }
        boolean surelyThis = found.size() == 1
                && lost.effect().canBe(one.kind())
                && !lost.unreported()
                && traces.forgottenAnswers() == lost.forgotten()
                && !traces.isDoubtful(one);
        if (!surelyThis) {
            return Judgement.unknown("connection " + lost.thread() + " has committed " + gtids
                    + ", which may also be what it did before");
        }
        if (isOfSessionsRun(one, lost)) {
            return Judgement.committed(one, lost.kind().equals("commit"));
        }
        if (restarted && one.run() == traces.run(on)) {
            return Judgement.open("the server was restarted, and the begin of its new log is not read");
        }
        return isOfAnotherRun(lost, on, one, look, restarted)
                ? Judgement.unknown("connection " + lost.thread() + " has committed " + gtids
                        + ", and the server was restarted: that may be another connection with the same number")
                : Judgement.committed(one, lost.kind().equals("commit"));
    }

    /** A restarted server gives the numbers of its connections again. */
    private boolean isOfAnotherRun(
            UnansweredStatement lost, ServerIdentity on, Trace trace, PrimaryLook look, boolean restarted) {
        int present = traces.run(on);
        int opened = traces.runAt(on, lost.openedNanos());
        if (!look.server().equals(on)) {
            return opened != present;
        }
        if (restarted) {
            // Exactly one run came since.
            return trace.run() != present - 1 || opened != present - 1;
        }
        if (lost.aliveNanos() - look.latestNanos() >= 0 && isLater(trace, lost.lastGtid())) {
            return false;
        }
        boolean unsure = lost.aliveNanos() - look.latestNanos() < 0;
        return trace.run() != present || unsure && present > 0;
    }

    /** Returns whether the run wrote it in which the session was: no two connections of a run have one number. */
    private boolean isOfSessionsRun(Trace trace, UnansweredStatement lost) {
        String last = lost.lastGtid();
        if (last == null || trace.run() == Trace.UNKNOWN_RUN) {
            return false;
        }
        // MariaDB's description of a log that is read from within does not tell the run: the stream does.
        return trace.ofMySql()
                ? traces.runOf(last) == trace.run()
                : trace.isOfRunAt(lost.aliveNanos()) && isLater(trace, last);
    }

    /** Returns whether MariaDB wrote it behind what the session was told last. MySQL may give smaller numbers later. */
    private static boolean isLater(Trace trace, @Nullable String lastGtid) {
        if (lastGtid == null || trace.ofMySql()) {
            return false;
        }
        MariaDbGtid last = MariaDbGtid.parse(lastGtid);
        return Traces.source(last).equals(trace.source()) && trace.number() > last.sequence();
    }

    private Judgement withoutThread(
            UnansweredStatement lost,
            ServerIdentity on,
            PrimaryLook look,
            boolean restarted,
            Predicate<Trace> contended) {
        if (lost.unlogged()) {
            return Judgement.unknown("the session has set sql_log_bin, pseudo_thread_id, gtid_next or"
                    + " server_id: the binary log need not show what it commits");
        }
        if (restarted && on.flavor() == ServerFlavor.MARIADB && MAY_CHANGE_SCHEMA.contains(lost.kind())) {
            return Judgement.unknown("the server may have completed a schema change when it started again");
        }
        String filter = look.server().equals(on) ? look.filter() : null;
        if (filter != null) {
            return Judgement.open(filter);
        }
        List<Trace> unknown = traces.unanswered(on, 0, lost.sentNanos());
        boolean foreign = traces.hasForeign(on, lost.sentNanos() - LATELY_NANOS, lost.sentNanos() - FOREIGN_NANOS);
        return AnnotatedTexts.judge(lost, unknown, look, contended, foreign);
    }
}
