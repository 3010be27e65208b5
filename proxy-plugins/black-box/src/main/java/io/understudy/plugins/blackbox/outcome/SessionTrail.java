package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.Writes;
import io.understudy.plugins.blackbox.outcome.UnansweredStatement.Effect;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What has to be known of one session to judge a statement that it loses. Used on the session's event loop, except
 * {@link Open}.
 */
public final class SessionTrail {
    private static final int MOST_TEXTS = 64;
    private static final long[] NONE = {};
    /** Statements that may set variables. */
    private static final Set<StatementKind> SETS = EnumSet.of(
            StatementKind.SET,
            StatementKind.MULTI,
            StatementKind.PREPARE,
            StatementKind.EXECUTE,
            StatementKind.BLOCK,
            StatementKind.UNKNOWN);
    /** In bytes; {@code BEGIN NOT ATOMIC …} is longer. */
    private static final int LONGEST_BEGIN = 20;
    /** Variables with which a session's transactions are not in the log, or not as its own. */
    private static final Pattern HIDES =
            Pattern.compile("sql_log_bin|pseudo_thread_id|gtid_next|server_id", Pattern.CASE_INSENSITIVE);

    private final SessionContext session;
    private final Traces traces;
    private final Open open;
    private final LongSupplier nanoClock;

    private long openedNanos;
    /** When its server was surely the one on which it is, and in the same run. */
    private long aliveNanos;

    private long forgotten;
    private @Nullable String lastGtid;
    /** Whether the server reports GTIDs, so that a response without one was no commit. */
    private boolean tracked;

    private boolean unreported;
    private boolean unlogged;
    /** Number of the newest statement. */
    private long newest;

    private @Nullable String token;
    private Writes wrote = Writes.NONE;
    /** Hashes of the open transaction's statements; null if they are not known. */
    private volatile long @Nullable [] texts = NONE;

    /** The sessions whose transactions the log does not name. Thread-safe. */
    public static final class Open {
        private final Set<SessionTrail> sessions = ConcurrentHashMap.newKeySet();

        /** Returns whether one of them may have written the transaction and may still be told so. */
        public boolean mayHaveWritten(Trace transaction) {
            for (SessionTrail each : sessions) {
                long[] texts = each.texts;
                if ((texts == null || texts.length > 0) && AnnotatedTexts.mayBe(transaction, texts)) {
                    return true;
                }
            }
            return false;
        }
    }

    public SessionTrail(SessionContext session, Traces traces, Open open, LongSupplier nanoClock) {
        this.session = session;
        this.traces = traces;
        this.open = open;
        this.nanoClock = nanoClock;
        begin();
    }

    private void begin() {
        openedNanos = nanoClock.getAsLong();
        aliveNanos = openedNanos;
        forgotten = traces.forgottenAnswers();
        texts = NONE;
        if (session.flavor() == ServerFlavor.MARIADB) {
            open.sessions.add(this);
        }
    }

    /** Called with each statement. */
    public void onCommand(CommandView command) {
        newest = command.number();
        StatementKind kind = command.kind();
        String named = command.transactionToken();
        token = named == null ? token : named;
        boolean block = kind == StatementKind.BEGIN && command.payloadLength() > LONGEST_BEGIN;
        if (block || SETS.contains(kind)) {
            String text = command.text();
            unlogged |= text == null || HIDES.matcher(text).find();
        } else if (kind.isDdl()) {
            command.summary(); // the text is available only now
        }
        if (kind.writes() && session.flavor() == ServerFlavor.MARIADB) {
            texts = traces.needsTexts() ? with(command) : null;
        }
    }

    private long @Nullable [] with(CommandView command) {
        long[] before = texts;
        String text = command.prepared() == null ? command.text() : null;
        if (before == null || text == null || before.length == MOST_TEXTS) {
            return null;
        }
        long[] all = Arrays.copyOf(before, before.length + 1);
        all[before.length] = AnnotatedTexts.hash(text);
        return all;
    }

    /** Called with each response, after its OK was passed on. */
    public void onResponse(CommandView command, ResponseView response) {
        String gtid = response.gtid();
        if (gtid != null) {
            lastGtid = gtid;
            if (command.receivedNanos() - aliveNanos > 0) {
                aliveNanos = command.receivedNanos();
            }
            tracked = true;
            wrote = Writes.NONE;
        } else if (command.isStatement()) {
            wrote = wroteBy(command, response);
        }
        if (!response.inTransaction()) {
            boolean unsure = wrote == Writes.SURE || wrote == Writes.MAYBE && !tracked;
            unreported |= unsure && response.omittedGtid() == null;
            wrote = Writes.NONE;
            if (command.number() >= newest) { // else the next one was sent before this response
                token = null;
                texts = NONE;
            }
        }
    }

    private Writes wroteBy(CommandView command, ResponseView response) {
        StatementKind kind = command.kind();
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
        tracked = false;
        wrote = Writes.NONE;
        token = null;
        texts = NONE;
    }

    /** Called when the session has gone on at another server. */
    public void onMoved() {
        onReset();
        lastGtid = null;
        unreported = false;
        begin();
    }

    /** Called when the session has ended. */
    public void onClose() {
        open.sessions.remove(this);
    }

    /**
     * Returns the statement to which no response will come.
     *
     * @param digest of the open transaction's first writing statement; 0 if there is none
     */
    public UnansweredStatement lost(CommandView command, long digest, Clock clock) {
        open.sessions.remove(this);
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
                token,
                lastGtid,
                unreported,
                unlogged,
                forgotten,
                texts);
    }

    private static Effect effect(CommandView command) {
        StatementKind kind = command.kind();
        if (kind.isDml()) {
            return command.inTransactionBefore() ? Effect.SEVERAL : Effect.COMMIT;
        }
        if (Writes.changesSchema(kind)) {
            StatementSummary summary = command.summary();
            boolean one = summary != null && summary.writes().size() <= 1;
            return one && !command.wroteInTransactionBefore() ? Effect.SCHEMA : Effect.SEVERAL;
        }
        return switch (kind) {
            case COMMIT, SET, BEGIN, LOCK, UNLOCK, FLUSH -> Effect.COMMIT;
            case XA_COMMIT, XA_ROLLBACK -> Effect.XA_END;
            case XA_PREPARE -> Effect.XA_PREPARE;
            default -> Effect.SEVERAL;
        };
    }
}
