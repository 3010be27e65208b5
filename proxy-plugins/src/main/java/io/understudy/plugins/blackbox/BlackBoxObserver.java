package io.understudy.plugins.blackbox;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;

/** Records which commits of one session were answered, and whether it ended before a response. */
final class BlackBoxObserver implements SessionObserver {
    private final SessionContext session;
    private final SessionEvents sessionEvents;
    /** Digest of the open transaction's first writing statement; 0 if there is none, or it is unknown. */
    private long digest;
    /** Number of the last command that may commit; it is answered if not above {@link #answered}. */
    private long mayCommit;

    private long answered;

    BlackBoxObserver(SessionContext session, SessionEvents sessionEvents) {
        this.session = session;
        this.sessionEvents = sessionEvents;
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
        StatementKind kind = command.kind();
        if (kind.writes()) {
            mayCommit = command.number();
            if (digest == 0) {
                command.summary(); // the text is available only now; the summary is kept for the response
            }
        } else if (kind == StatementKind.COMMIT || kind == StatementKind.XA_COMMIT || kind == StatementKind.CALL) {
            mayCommit = command.number();
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        answered = command.number();
        if (command.isStatement() && digest == 0 && command.kind().writes()) {
            StatementSummary summary = command.summary();
            digest = summary == null ? 0 : summary.digest();
        }
        for (ResultGtid earlier : response.earlierGtids()) {
            answered(earlier.text(), response);
        }
        String gtid = response.gtid();
        if (gtid != null) { // also of an OK before the error that ends a text of several statements
            answered(gtid, response);
        }
        if (!response.inTransaction()) {
            digest = 0;
        }
    }

    private void answered(String gtid, ResponseView response) {
        sessionEvents.answered(new AnsweredCommit(
                gtid,
                session.id(),
                session.serverThreadId(),
                session.user(),
                session.schema(),
                digest,
                response.lastByteNanos()));
    }

    @Override
    public void onReset() {
        digest = 0;
    }

    @Override
    public void onClose(String reason) {
        if (mayCommit > answered) {
            sessionEvents.interrupted(new InterruptedSession(
                    session.id(), session.serverThreadId(), session.user(), digest, System.nanoTime()));
        }
    }
}
