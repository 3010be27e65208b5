package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.Writes;
import io.understudy.plugins.blackbox.outcome.UnansweredStatement.Effect;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What has to be known of one session to judge a statement that it loses. Used on the session's event loop. */
public final class SessionTrail {
    /** Statements that may set variables. */
    private static final Set<StatementKind> SETS = EnumSet.of(
            StatementKind.SET,
            StatementKind.MULTI,
            StatementKind.PREPARE,
            StatementKind.EXECUTE,
            StatementKind.BLOCK,
            StatementKind.UNKNOWN);
    /** Statements after whose OK an open transaction has written nothing yet: also {@code COMMIT AND CHAIN}. */
    private static final Set<StatementKind> BEGINS =
            EnumSet.of(StatementKind.BEGIN, StatementKind.COMMIT, StatementKind.ROLLBACK);
    /** In bytes; {@code BEGIN NOT ATOMIC …} is longer. */
    private static final int LONGEST_BEGIN = 20;
    /** Variables with which a session's transactions are not in the log, or not as its own. */
    private static final Pattern HIDES =
            Pattern.compile("sql_log_bin|pseudo_thread_id|gtid_next|gtid_seq_no|server_id", Pattern.CASE_INSENSITIVE);
    /** Text that is prepared from a variable: what it sets is not seen. */
    private static final Pattern FROM_VARIABLE =
            Pattern.compile("(?<!\\w)(FROM|IMMEDIATE)\\s+[^'\"\\s]", Pattern.CASE_INSENSITIVE);
    /** With {@code ALL_GTIDS} MySQL reports what others have committed. */
    private static final Pattern TRACKS = Pattern.compile("session_track_gtids", Pattern.CASE_INSENSITIVE);

    private static final Pattern TRACKS_OWN = Pattern.compile("own_gtid", Pattern.CASE_INSENSITIVE);

    private final SessionContext session;
    private final Traces traces;
    private final SessionTokens tokens;
    private final Clock clock;
    private final LongSupplier nanoClock;

    /** Whether the OK behind the rows of a function that writes has its GTID. */
    private final boolean toldOfResultSets;

    private long openedNanos;
    /** When its server was surely the one on which it is, and in the same run. */
    private long aliveNanos;

    private long forgotten;
    private @Nullable String lastGtid;
    /** Whether the server reports GTIDs, so that a response without one was no commit. */
    private boolean tracked;
    /** Whether the server may report GTIDs of others. */
    private boolean foreignGtids;

    private boolean unreported;
    /** Whether an earlier statement of the open transaction may have committed a part of it. */
    private boolean partCommitted;

    private boolean unlogged;
    /** Number of the newest statement. */
    private long newest;
    /** Number of the last command that was answered. */
    private long answered;
    /** Whether that left a transaction open; false if its response does not say so, as an error does not. */
    private boolean inTransaction;

    private Writes wrote = Writes.NONE;

    /** @param named takes the transactions that the client has named, open and ended */
    public SessionTrail(SessionContext session, Traces traces, Outcomes named, Clock clock, LongSupplier nanoClock) {
        this.session = session;
        this.traces = traces;
        tokens = new SessionTokens(session, named, clock, nanoClock);
        this.clock = clock;
        this.nanoClock = nanoClock;
        toldOfResultSets = (session.capabilities() & Capabilities.DEPRECATE_EOF) != 0;
        begin();
    }

    private void begin() {
        openedNanos = nanoClock.getAsLong();
        aliveNanos = openedNanos;
        forgotten = traces.forgottenAnswers();
    }

    /** Called with each statement. */
    public void onCommand(CommandView command) {
        newest = command.number();
        StatementKind kind = command.kind();
        tokens.onCommand(command);
        boolean unseen = command.prepared() == null && !command.complete();
        if (unseen) {
            boolean more = (session.capabilities() & Capabilities.MULTI_STATEMENTS) != 0;
            unlogged |= more || isBlock(command) || SETS.contains(kind);
        } else if (isBlock(command) || command.several() || SETS.contains(kind)) {
            sets(command.text());
            command.summary(); // the text is available only now
        } else if (kind.isDdl() || !toldOfResultSets && kind == StatementKind.SELECT) {
            command.summary();
        }
    }

    /** Returns whether it may be a {@code BEGIN NOT ATOMIC …}. */
    static boolean isBlock(CommandView command) {
        return command.kind() == StatementKind.BEGIN
                && (command.payloadLength() > LONGEST_BEGIN || command.prepared() != null);
    }

    /** Returns whether the text is one statement of its kind although it was not analysed. */
    private static boolean isPlain(CommandView command) {
        return command.prepared() == null && command.complete() && !command.several() && !isBlock(command);
    }

    private void sets(@Nullable String text) {
        unlogged |= text == null
                || HIDES.matcher(text).find()
                || FROM_VARIABLE.matcher(text).find();
        if (text != null && TRACKS.matcher(text).find()) {
            foreignGtids = !TRACKS_OWN.matcher(text).find();
        }
    }

    /** Returns whether the GTIDs of the responses are those of the session's own transactions. */
    public boolean ownGtids() {
        return !foreignGtids;
    }

    /** Called with each response, after its OK was passed on. */
    public void onResponse(CommandView command, ResponseView response) {
        answered = command.number();
        inTransaction = response.ok() && response.inTransaction();
        String gtid = foreignGtids ? null : response.gtid();
        if (gtid != null) {
            lastGtid = gtid;
            if (command.receivedNanos() - aliveNanos > 0) {
                aliveNanos = command.receivedNanos();
            }
            tracked = true;
            wrote = Writes.NONE;
            unreported = false; // what came before is in the log in front of this one
        } else if (command.isStatement()) {
            wrote = wroteBy(command, response);
        }
        if (command.isStatement() || SessionTokens.commits(command.code())) {
            StatementKind kind = SessionTokens.kind(command);
            boolean untold = gtid == null && mayHaveCommittedUntold(command, kind, response);
            unreported |= untold;
            boolean within = untold && (command.inTransactionBefore() || SessionTokens.mayEnd(kind)) || gtid != null;
            boolean begun = response.ok() && (!response.inTransaction() || BEGINS.contains(kind));
            partCommitted = !begun && (partCommitted || within);
        }
        if (!response.inTransaction()) {
            boolean unsure = wrote == Writes.SURE || wrote == Writes.MAYBE && (!tracked || foreignGtids);
            unreported |= unsure && response.omittedGtid() == null || gtid == null && mayLeave(command, response);
            wrote = Writes.NONE;
        }
        tokens.onResponse(command, response, gtid);
    }

    /**
     * Called when nothing more is seen of the session.
     *
     * @param ended whether it has ended; false if it goes on unseen
     */
    public void onClose(boolean ended) {
        tokens.onClose(ended && newest <= answered);
    }

    /** Returns whether it may have committed without a word: an error tells neither a GTID nor the session's status. */
    private boolean mayHaveCommittedUntold(CommandView command, StatementKind kind, ResponseView response) {
        if (response.ok() && (tracked && !foreignGtids || !response.inTransaction())) {
            return false;
        }
        return kind.writes() && !kind.isDml() // a DROP of several tables has dropped the first ones
                || wrote != Writes.NONE && (kind == StatementKind.COMMIT || SessionTokens.commits(command, kind));
    }

    /** Returns whether it may have committed something though its response has no place for a GTID. */
    private boolean mayLeave(CommandView command, ResponseView response) {
        StatementKind kind = CommandView.runs(command);
        if (!response.ok()) {
            return kind.isDml(); // rows of a table without transactions stay
        }
        StatementSummary summary = !toldOfResultSets && kind == StatementKind.SELECT ? command.summary() : null;
        return summary != null && !summary.functions().isEmpty();
    }

    private Writes wroteBy(CommandView command, ResponseView response) {
        StatementKind kind = CommandView.runs(command);
        if (kind == StatementKind.ROLLBACK || kind == StatementKind.XA_ROLLBACK) {
            return Writes.NONE;
        }
        if (!kind.writes()) {
            return wrote;
        }
        if (!response.ok()) {
            return kind.isDml() ? wrote : wrote.and(Writes.MAYBE);
        }
        boolean foundRows = (session.capabilities() & Capabilities.FOUND_ROWS) != 0;
        return wrote.and(
                Writes.of(command, response, foundRows, session.settings().temporaryTables()));
    }

    /** Called when the session's variables were reset. */
    public void onReset() {
        onClose(true);
        partCommitted = false;
        tracked = false;
        foreignGtids = false;
        wrote = Writes.NONE;
    }

    /** Called when the session has gone on at another server. */
    public void onMoved() {
        onReset();
        lastGtid = null;
        unreported = false;
        begin();
    }

    /**
     * Returns the statement to which no response will come.
     *
     * @param digest of the open transaction's first writing statement; 0 if there is none
     */
    public UnansweredStatement lost(CommandView command, long digest) {
        StatementSummary summary = digest == 0 ? command.summary() : null;
        long age = nanoClock.getAsLong() - command.receivedNanos();
        return new UnansweredStatement(
                session.id(),
                command.number(),
                clock.instant().minusNanos(age).truncatedTo(ChronoUnit.MICROS),
                command.receivedNanos(),
                openedNanos,
                aliveNanos,
                session.serverThreadId(),
                session.user(),
                command.kind().label(),
                summary == null ? digest : summary.digest(),
                effect(command),
                tokens.lost(command),
                lastGtid,
                unreported,
                partCommitted,
                unlogged || mayBeUnlogged(command),
                forgotten);
    }

    /** Returns whether it may be one that no log has: of servers, plugins, resource groups, or with {@code LOCAL}. */
    private static boolean mayBeUnlogged(CommandView command) {
        StatementKind kind = command.kind();
        StatementSummary summary = kind.isDdl() ? command.summary() : null;
        return kind == StatementKind.ADMIN
                || kind == StatementKind.INSTALL
                || kind.isDdl() && (summary == null || summary.writes().isEmpty());
    }

    private Effect effect(CommandView command) {
        StatementSummary summary = command.summary();
        boolean one = command.number() >= newest // else another one's transaction may be taken for it
                && command.code() != CommandCode.STMT_BULK_EXECUTE
                && (summary == null ? isPlain(command) : summary.kind() == command.kind());
        if (!one) {
            return Effect.SEVERAL;
        }
        StatementKind kind = command.kind() == StatementKind.SET ? runs(summary) : command.kind();
        if (kind.isDml()) {
            boolean within = inTransaction
                    && !partCommitted
                    && command.number() == answered + 1; // nothing ahead of it can have ended it
            return within ? Effect.NONE : command.inTransactionBefore() ? Effect.SEVERAL : Effect.COMMIT;
        }
        if (Writes.changesSchema(kind)) {
            // A DROP DATABASE that breaks off logs the tables that it has dropped.
            boolean single = summary != null
                    && (kind == StatementKind.DROP
                            ? summary.writes().size() == 1
                            : summary.writes().size() <= 1);
            // At its end a session with temporary tables logs that it drops them.
            boolean alone =
                    !command.inTransactionBefore() && !session.settings().temporaryTables();
            return single && alone ? Effect.SCHEMA : Effect.SEVERAL;
        }
        return switch (kind) {
            case COMMIT, SET, BEGIN, LOCK, UNLOCK, FLUSH -> Effect.COMMIT;
            case XA_COMMIT, XA_ROLLBACK -> Effect.XA_END;
            case XA_PREPARE -> Effect.XA_PREPARE;
            default -> Effect.SEVERAL;
        };
    }

    /** Returns the kind of the statement behind {@code SET STATEMENT … FOR}; {@code SET} if there is none. */
    private static StatementKind runs(@Nullable StatementSummary summary) {
        return summary == null ? StatementKind.UNKNOWN : summary.runs();
    }
}
