package io.understudy.plugins.querylog;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.querylog.digests.DigestEntry;
import io.understudy.plugins.querylog.digests.DigestKey;
import io.understudy.plugins.querylog.stream.StatementEvents;
import io.understudy.rules.RuleSet;
import io.understudy.rules.SessionRules;
import org.jspecify.annotations.Nullable;

/** Counts the statements of one session, and copies them for the stream while somebody reads it. */
final class QueryLogObserver implements SessionObserver {
    private final RunningQueryLog log;
    private final SessionContext session;
    private final DigestKey probe = new DigestKey();
    private final StatementEvents events;
    /** Number of the session's event loop in the table of digests. */
    private final int thread;

    private @Nullable SessionRules<QueryLogConfig.Rule> rules;

    /** Must be called on the session's event loop. */
    QueryLogObserver(RunningQueryLog log, SessionContext session, StatementEvents events) {
        this.log = log;
        this.session = session;
        this.events = events;
        this.thread = log.table().threadNumber();
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement()) {
            return;
        }
        DigestEntry entry = log.table().of(command, probe);
        command.attach(log.streamed() ? events.begin(command, entry, rule(command)) : entry);
    }

    private @Nullable String rule(CommandView command) {
        RuleSet<QueryLogConfig.Rule> current = log.rules();
        if (current.size() == 0) {
            return null;
        }
        SessionRules<QueryLogConfig.Rule> own = rules;
        if (own == null || own.rules() != current) {
            own = current.forSession(session);
            rules = own;
        }
        QueryLogConfig.Rule matched = own.match(command);
        return matched == null ? null : matched.name();
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        Object attached = command.attachment();
        command.attach(null);
        if (attached instanceof DigestEntry entry) {
            count(entry, command, response);
        } else if (attached instanceof StatementEvents.Pending statement) {
            count(statement.entry(), command, response);
            events.end(statement, command, response);
        }
    }

    private void count(DigestEntry entry, CommandView command, ResponseView response) {
        entry.record(
                thread,
                response.lastByteNanos() - command.receivedNanos(),
                response.errorCode(),
                response.rows(),
                response.affectedRows(),
                response.bytes(),
                response.lastByteNanos(),
                session.user(),
                session.schema());
    }

    @Override
    public void onClose(String reason) {
        events.close();
    }
}
