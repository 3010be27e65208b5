package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that a session has named, from the statement with the token to the response that ends the
 * transaction. Commands may be sent ahead of responses: what counts is the order of the responses. A client that left
 * before its response finds here what the server said. Used on the session's event loop.
 */
final class SessionTokens {
    /** Most that are followed at a time. */
    static final int MOST = 64;

    /**
     * Errors after which the transaction is open still: others, such as a deadlock, may have rolled it back. Unknown
     * table, duplicate key, foreign keys, NULL, syntax, unknown column, value out of range, wrong, too long, a check,
     * no privilege, SIGNAL, no such prepared statement.
     */
    private static final Set<Integer> OF_STATEMENT = Set.of(
            1146, 1062, 1451, 1452, 1048, 1064, 1054, 1264, 1366, 1292, 1406, 3819, 4025, 1142, 1143, 1644, 1243);

    private final SessionContext session;
    /** Of the proxy, by session and the number of the command that had the token. */
    private final Outcomes named;

    private final Clock clock;
    private final LongSupplier nanoClock;

    /** The oldest first. */
    private final Deque<OutcomeRecord> open = new ArrayDeque<>();
    /** Number of the last command that was answered. */
    private long answered;

    SessionTokens(SessionContext session, Outcomes named, Clock clock, LongSupplier nanoClock) {
        this.session = session;
        this.named = named;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    void onCommand(CommandView command) {
        String token = command.transactionToken();
        OutcomeRecord last = open.peekLast();
        boolean again = last != null && last.command() <= answered && Objects.equals(token, last.token());
        if (token == null || again) { // each statement of the transaction may have it
            return;
        }
        if (open.size() == MOST) {
            end(open.removeFirst(), Verdict.UNKNOWN, "", "the session has named more than " + MOST + " since", false);
        }
        long age = nanoClock.getAsLong() - command.receivedNanos();
        OutcomeRecord next = new OutcomeRecord(
                clock.instant().minusNanos(age).truncatedTo(ChronoUnit.MICROS),
                session.id(),
                command.number(),
                "",
                session.serverThreadId(),
                session.user(),
                0,
                command.kind().label(),
                token,
                Verdict.UNKNOWN,
                "",
                "its statement is in flight, or its transaction is open",
                false,
                false,
                0);
        open.add(next);
        named.add(next);
    }

    /** @param gtid of the session's own commit; null if the response has none */
    void onResponse(CommandView command, ResponseView response, @Nullable String gtid) {
        answered = command.number();
        OutcomeRecord first = open.peekFirst();
        if (first == null || first.command() > answered) {
            return;
        }
        if (!command.isStatement()) { // a COM_PING, or the preparation of a COMMIT
            if (commits(command.code())) {
                end(answered, Verdict.UNKNOWN, null, "the command that followed may have committed it");
            }
            return;
        }
        StatementKind kind = kind(command);
        boolean goesOn = response.inTransaction();
        if (mayEnd(kind)) {
            end(answered, Verdict.UNKNOWN, gtid, "what " + kind + " has run may have ended the transaction");
        } else if (!response.ok()) {
            if (!goesOn || commits(command, kind) || !OF_STATEMENT.contains(response.errorCode())) {
                end(answered, Verdict.UNKNOWN, null, "the server responded with ERROR " + response.errorCode());
            }
        } else {
            switch (kind) {
                case COMMIT -> end(answered, Verdict.COMMITTED, gtid, ""); // also AND CHAIN
                case ROLLBACK, XA_ROLLBACK -> end(answered, Verdict.NOT_COMMITTED, null, "");
                case XA_PREPARE -> end(answered, Verdict.UNKNOWN, null, "its XA transaction was prepared: XA RECOVER");
                case BEGIN -> end(answered - 1, Verdict.COMMITTED, gtid, ""); // commits what was open
                default -> {
                    if (goesOn && gtid != null) {
                        end(answered, Verdict.UNKNOWN, gtid, "that is a part of it");
                    }
                }
            }
            if (!goesOn) {
                end(answered, Verdict.COMMITTED, gtid, "");
            }
        }
    }

    /** Returns the kind of what is executed: of several statements {@code MULTI}. */
    static StatementKind kind(CommandView command) {
        boolean set = command.kind() == StatementKind.SET; // SET STATEMENT … FOR
        if (!set && !command.several() && !SessionTrail.isBlock(command)) {
            return command.kind();
        }
        StatementSummary summary = command.summary();
        if (summary == null) {
            return StatementKind.MULTI;
        }
        return set && summary.kind() == StatementKind.SET ? CommandView.runs(command) : summary.kind();
    }

    /** Returns whether a command that is no statement commits what is open, also if the server then refuses it. */
    static boolean commits(int code) {
        return switch (code) {
            case CommandCode.CREATE_DB, CommandCode.DROP_DB, CommandCode.REFRESH -> true;
            default -> false;
        };
    }

    /**
     * Returns the same of a statement: of a CREATE TABLE of one that exists, of SET PASSWORD for want of a privilege.
     */
    static boolean commits(CommandView command, StatementKind kind) {
        StatementSummary summary = kind == StatementKind.SET ? command.summary() : null;
        return kind.implicitCommit() || summary != null && summary.implicitCommit();
    }

    /** Returns whether it may commit or roll back within: its response is not the end of one transaction. */
    static boolean mayEnd(StatementKind kind) {
        return switch (kind) {
            case CALL, EXECUTE, BLOCK, MULTI, UNKNOWN -> true;
            default -> false;
        };
    }

    /** Ends what was named up to a command. */
    private void end(long command, Verdict verdict, @Nullable String gtid, String reason) {
        for (OutcomeRecord each = open.peekFirst();
                each != null && each.command() <= command;
                each = open.peekFirst()) {
            open.removeFirst();
            end(each, verdict, gtid == null ? "" : gtid, reason, true);
        }
    }

    private void end(OutcomeRecord one, Verdict verdict, String gtid, String reason, boolean told) {
        named.add(one.ended(verdict, gtid, reason, told));
    }

    /**
     * Called when the server was lost with a statement in flight that may have committed.
     *
     * @return the name of its transaction, of which others judge; null if it has none
     */
    @Nullable
    String lost(CommandView command) {
        OutcomeRecord its = null;
        for (OutcomeRecord each : open) {
            its = each.command() <= command.number() ? each : its;
        }
        if (its != null) {
            open.remove(its);
            named.remove(its);
        }
        String why = "the server was lost with statements in flight beside it";
        open.forEach(each -> end(each, Verdict.UNKNOWN, "", why, false));
        open.clear();
        return its == null ? null : its.token();
    }

    /**
     * Called when nothing more is seen of what is open.
     *
     * @param rolledBack whether the server rolls back what is open, and nothing is in flight
     */
    void onClose(boolean rolledBack) {
        Verdict verdict = rolledBack ? Verdict.NOT_COMMITTED : Verdict.UNKNOWN;
        String why = rolledBack ? "" : "the proxy has not seen how its last statement ended";
        open.forEach(each -> end(each, verdict, "", why, false));
        open.clear();
    }
}
