package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.Outcome;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges a lost statement by the binary log. It is committed if the present primary has the one transaction of its
 * thread that arrived after it was sent and that no client was told of; it is not if there is none, the log was read to
 * an end behind which there can be none, and nothing was forgotten. All else is unknown.
 */
final class Judge {
    /** Transactions that a reason names: a procedure may have committed thousands. */
    private static final int NAMED = 3;

    /** Values of {@link io.understudy.sql.StatementKind#label}. */
    private static final Set<String> MAY_CHANGE_SCHEMA = Set.of("ddl", "admin", "call", "prepare", "other");

    private final Traces traces;

    Judge(Traces traces) {
        this.traces = traces;
    }

    /**
     * Returns what is known.
     *
     * @param on the server that it was sent to
     */
    Judgement of(UnansweredStatement lost, ServerIdentity on, PrimaryLook look) {
        if (!look.facts().logBin() || !look.facts().gtids()) {
            return Judgement.open("the primary logs no GTIDs that tell what is committed: set log_bin, and on MySQL"
                    + " gtid_mode=ON");
        }
        if (look.readOnly()) {
            return Judgement.open("the primary is read-only: it may not stay the primary");
        }
        boolean same = look.server().equals(on);
        boolean restarted = same && lost.openedNanos() - look.earliestNanos() < 0;
        String moving = !same ? look.applies() : restarted ? null : running(lost.thread(), look);
        if (moving != null) {
            return Judgement.open(moving);
        }
        GtidNumbers unread = traces.unread(on, look.server(), look.has(), lost.sentNanos());
        if (!unread.isEmpty()) {
            return Judgement.unread(unread);
        }
        if (!traces.remembersSince(lost.sentNanos())) {
            return Judgement.unknown("too many transactions of others came since, or the numbers began anew");
        }
        if (!same && on.flavor() == ServerFlavor.MARIADB) {
            traces.replayed(on, look.has(), look.replicated());
        }
        List<Trace> found = traces.unanswered(on, lost.thread(), lost.sentNanos());
        found.removeIf(each -> isEarlier(each, lost.lastGtid()));
        if (found.isEmpty()) {
            return withoutThread(lost, on, look, restarted);
        }
        return withThread(lost, on, found, look, restarted);
    }

    /** Returns why a connection may still commit; null if it cannot. */
    static @Nullable String running(long thread, PrimaryLook look) {
        if (look.threads() == null) {
            return "whether connection " + thread
                    + " still runs there is not to be seen: GRANT PROCESS ON *.* to the account of primary.monitor";
        }
        return look.threads().contains(thread)
                ? "connection " + thread + " still exists at the primary, and may still commit"
                : null;
    }

    private Judgement withThread(
            UnansweredStatement lost, ServerIdentity on, List<Trace> found, PrimaryLook look, boolean restarted) {
        Trace one = found.get(0);
        String gtids = gtids(found);
        if (!look.has().contains(one.source(), one.number())) {
            return Judgement.open(lacking(gtids));
        }
        if (lost.effect() == UnansweredStatement.Effect.SEVERAL) {
            return Judgement.unknown("it may have committed in several parts, and has committed " + gtids
                    + ": whether that is all of it is not known");
        }
        if (found.size() > 1 || mayBeEarlier(lost, one)) {
            return Judgement.unknown("connection " + lost.thread() + " has committed " + gtids
                    + ", which may also be what it did before");
        }
        if (isOfSessionsRun(one, lost)) {
            return Judgement.committed(one);
        }
        if (restarted && one.run() == traces.run(on)) {
            return Judgement.open("the server was restarted, and the begin of its new log is not read");
        }
        return isOfAnotherRun(lost, on, one, look, restarted)
                ? Judgement.unknown("connection " + lost.thread() + " has committed " + gtids
                        + ", and the server was restarted: that may be another connection with the same number")
                : Judgement.committed(one);
    }

    private boolean mayBeEarlier(UnansweredStatement lost, Trace trace) {
        return !lost.effect().canBe(trace.kind())
                || lost.unreported()
                || traces.forgottenAnswers() != lost.forgotten()
                || traces.isDoubtful(trace);
    }

    static String gtids(List<Trace> found) {
        String first = found.stream().limit(NAMED).map(Trace::gtid).collect(Collectors.joining(", "));
        return found.size() > NAMED ? first + " and " + (found.size() - NAMED) + " more" : first;
    }

    static String lacking(String gtids) {
        return "its transaction " + gtids
                + " is in the old primary's log, and the primary lacks it: understudy rescue --apply brings it, if"
                + " nobody has written there since";
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

    /** Returns whether the log has it in front of what the session was told last: it was read late, or once more. */
    private boolean isEarlier(Trace trace, @Nullable String lastGtid) {
        if (lastGtid == null) {
            return false;
        }
        if (trace.ofMySql()) {
            return traces.isBefore(trace, lastGtid);
        }
        return Traces.source(MariaDbGtid.parse(lastGtid)).equals(trace.source()) && !isLater(trace, lastGtid);
    }

    /** Returns whether MariaDB wrote it behind what the session was told last. MySQL may give smaller numbers later. */
    private static boolean isLater(Trace trace, @Nullable String lastGtid) {
        if (lastGtid == null || trace.ofMySql()) {
            return false;
        }
        MariaDbGtid last = MariaDbGtid.parse(lastGtid);
        return Traces.source(last).equals(trace.source()) && trace.number() > last.sequence();
    }

    private Judgement withoutThread(UnansweredStatement lost, ServerIdentity on, PrimaryLook look, boolean restarted) {
        if (lost.unlogged()) {
            return Judgement.unknown("the binary log need not show it: statements of its kind are not always logged, or"
                    + " the session may have set sql_log_bin, pseudo_thread_id, gtid_next, gtid_seq_no or server_id");
        }
        if (restarted && on.flavor() == ServerFlavor.MARIADB && MAY_CHANGE_SCHEMA.contains(lost.kind())) {
            return Judgement.unknown("the server may have completed a schema change when it started again");
        }
        String filter = look.server().equals(on) ? look.filter() : null;
        if (filter != null) {
            return Judgement.open(filter);
        }
        List<Trace> possible = traces.unanswered(on, 0, lost.sentNanos());
        if (!possible.isEmpty()) {
            return byToken(lost, possible, look);
        }
        return lost.partCommitted()
                ? Judgement.unknown("it was not committed, but a statement before it in the same transaction, such as a"
                        + " CALL, may have committed a part of that")
                : Judgement.notCommitted();
    }

    /** MariaDB before 11.5 does not tell the thread of rows, but has the texts, in which a client may name itself. */
    private Judgement byToken(UnansweredStatement lost, List<Trace> possible, PrimaryLook look) {
        List<Trace> named = possible.stream()
                .filter(each -> each.token() != null && each.token().equals(lost.token()))
                .toList();
        if (named.size() != 1 || mayBeEarlier(lost, named.get(0))) {
            return Judgement.open(
                    "the binary log does not tell the connection of " + gtids(possible) + ", which may be it");
        }
        Trace one = named.get(0);
        return look.has().contains(one.source(), one.number())
                ? Judgement.committed(one)
                : Judgement.open(lacking(one.gtid()));
    }

    /**
     * What is known of a lost statement for now.
     *
     * @param outcome unknown as long as it is not settled
     * @param settled whether it stays so
     * @param transaction that it has committed; null if there is none
     * @param unread what has to be read of the present primary's log first; empty if nothing has
     */
    record Judgement(
            Outcome outcome, boolean settled, @Nullable Trace transaction, GtidNumbers unread) {
        private static final GtidNumbers NOTHING = new GtidNumbers();

        static Judgement open(String reason) {
            return new Judgement(new Outcome.Unknown(reason), false, null, NOTHING);
        }

        static Judgement unread(GtidNumbers numbers) {
            return new Judgement(
                    new Outcome.Unknown("the primary's binary log was not read up to its end"), false, null, numbers);
        }

        static Judgement unknown(String reason) {
            return new Judgement(new Outcome.Unknown(reason), true, null, NOTHING);
        }

        static Judgement notCommitted() {
            return new Judgement(new Outcome.NotCommitted(), true, null, NOTHING);
        }

        static Judgement committed(Trace transaction) {
            return new Judgement(new Outcome.Committed(transaction.gtid()), true, transaction, NOTHING);
        }
    }
}
