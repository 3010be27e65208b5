package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.sql.StatementSummary;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Finds one session's commits and hands them on. */
final class CommitObserver implements SessionObserver {
    private static final long CLIENT_FOUND_ROWS = 1L << 1;
    private static final long CLIENT_DEPRECATE_EOF = 1L << 24;

    private final SessionContext session;
    private final CommitSink sink;
    private final CommitRecognizer recognizer;
    private @Nullable String digest;
    private @Nullable String lastHex;
    private long lastDigest;

    CommitObserver(SessionContext session, CommitSink sink) {
        this.session = session;
        this.sink = sink;
        long capabilities = session.capabilities();
        recognizer = new CommitRecognizer(
                (capabilities & CLIENT_FOUND_ROWS) != 0, (capabilities & CLIENT_DEPRECATE_EOF) != 0);
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES | Interest.GTIDS;
    }

    @Override
    public void onCommand(CommandView command) {
        if (command.isStatement() && command.kind().writes()) {
            command.summary(); // only now is the text at hand; what is asked for here is still known with the answer
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        boolean wroteBefore = recognizer.wrote();
        CommitKind kind =
                recognizer.answered(command, response, session.settings().temporaryTables());
        if (command.isStatement() && command.kind().writes() && !(wroteBefore && digest != null)) {
            StatementSummary summary = command.summary();
            digest = summary == null ? null : hex(summary.digest());
        }
        if (kind != null) {
            sink.committed(new Commit(
                    kind,
                    session.id(),
                    session.user(),
                    session.schema(),
                    digest,
                    response.gtid(),
                    command.receivedNanos(),
                    response.lastByteNanos()));
        }
        if (!recognizer.wrote()) {
            digest = null;
        }
    }

    /** Sessions repeat themselves, so a string is rarely made. */
    private String hex(long value) {
        String known = lastHex;
        if (known == null || lastDigest != value) {
            known = HexFormat.of().toHexDigits(value);
            lastHex = known;
            lastDigest = value;
        }
        return known;
    }

    @Override
    public void onReset() {
        recognizer.reset();
        digest = null;
    }
}
