package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Recognises one session's commits and passes them to the sink. */
final class CommitObserver implements SessionObserver {
    private static final String ZERO = HexFormat.of().toHexDigits(0L);

    /** A longer text may be MariaDB's block {@code BEGIN NOT ATOMIC}. */
    private static final int LONGEST_BEGIN = "BEGIN NOT ATOMIC ".length();

    private final SessionContext session;
    private final CommitSink sink;
    private final CommitRecognizer recognizer;
    private final List<ProcedureCall> calls = new ArrayList<>(0);
    private @Nullable String digest;
    /** The last digest as text. */
    private String lastHex = ZERO;

    private long lastDigest;

    CommitObserver(SessionContext session, CommitSink sink) {
        this.session = session;
        this.sink = sink;
        long capabilities = session.capabilities();
        recognizer = new CommitRecognizer(
                (capabilities & Capabilities.FOUND_ROWS) != 0, (capabilities & Capabilities.DEPRECATE_EOF) != 0);
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES | Interest.GTIDS;
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement()) {
            return;
        }
        StatementKind kind = CommandView.runs(command);
        boolean block = kind == StatementKind.BEGIN && command.payloadLength() > LONGEST_BEGIN;
        if (kind.writes() || block) {
            // The text is available only now; a summary made here is kept for the response.
            StatementSummary summary = command.summary();
            if (mayCommitOften(block && summary != null ? summary.kind() : kind)) {
                begin(command, summary);
            }
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        boolean inTransaction = recognizer.inTransaction();
        boolean wroteBefore = recognizer.wrote();
        CommitKind kind =
                recognizer.recognize(command, response, session.settings().temporaryTables());
        if (command.isStatement() && CommandView.runs(command).writes() && !(wroteBefore && digest != null)) {
            StatementSummary summary = command.summary();
            digest = summary == null ? null : hex(summary.digest());
        }
        String gtid = response.gtid();
        if (kind == null && gtid != null && !response.ok()) {
            kind = first(inTransaction); // a statement before the failed one was committed
        }
        if (kind != null) {
            committed(kind, inTransaction, command, response);
        }
        if (!calls.isEmpty() && command.attachment() instanceof ProcedureCall call && calls.remove(call)) {
            String last = kind == null ? gtid : reportedOrOmitted(response);
            sink.ended(call, response.lastByteNanos(), response.ok() ? last : null);
        }
        if (!recognizer.wrote()) {
            digest = null;
        }
    }

    /**
     * Returns whether the statement may run stored programs: they may commit several times, but the response reports
     * only the last commit.
     */
    private static boolean mayCommitOften(StatementKind kind) {
        return kind == StatementKind.CALL || kind == StatementKind.EXECUTE || kind == StatementKind.BLOCK;
    }

    private void begin(CommandView command, @Nullable StatementSummary summary) {
        ProcedureCall call = new ProcedureCall(
                session.id(),
                session.serverThreadId(),
                session.user(),
                session.schema(),
                summary == null ? null : hex(summary.digest()),
                command.receivedNanos());
        if (sink.began(call)) {
            calls.add(call);
            command.attach(call);
        }
    }

    private static CommitKind first(boolean inTransaction) {
        return inTransaction ? CommitKind.COMMIT : CommitKind.AUTOCOMMIT;
    }

    /** Passes on a commit, or several: a text of several statements reports each commit with its statement's result. */
    private void committed(CommitKind kind, boolean inTransaction, CommandView command, ResponseView response) {
        List<ResultGtid> earlier = response.earlierGtids();
        CommitKind next = first(inTransaction);
        long since = command.receivedNanos();
        for (ResultGtid result : earlier) {
            sink.committed(commit(next, result.text(), since, result.nanos()));
            next = CommitKind.AUTOCOMMIT;
            since = result.nanos();
        }
        boolean timed = response.gtid() != null && response.gtidNanos() != 0;
        long until = timed ? response.gtidNanos() : response.lastByteNanos();
        sink.committed(commit(earlier.isEmpty() ? kind : next, reportedOrOmitted(response), since, until));
    }

    private static @Nullable String reportedOrOmitted(ResponseView response) {
        String gtid = response.gtid();
        return gtid == null ? response.omittedGtid() : gtid;
    }

    private Commit commit(CommitKind kind, @Nullable String gtid, long sentNanos, long okNanos) {
        return new Commit(
                kind,
                session.id(),
                session.serverThreadId(),
                session.user(),
                session.schema(),
                digest,
                gtid,
                sentNanos,
                okNanos);
    }

    /** Returns 16 hexadecimal digits; the last string is kept because sessions repeat their statements. */
    private String hex(long value) {
        if (lastDigest != value) {
            lastHex = HexFormat.of().toHexDigits(value);
            lastDigest = value;
        }
        return lastHex;
    }

    @Override
    public void onReset() {
        recognizer.reset();
        digest = null;
    }

    @Override
    public void onClose(String reason) {
        calls.forEach(call -> sink.ended(call, System.nanoTime(), null));
        calls.clear();
    }
}
