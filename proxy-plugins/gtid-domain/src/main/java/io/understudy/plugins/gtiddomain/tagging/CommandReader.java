package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a session's commands write, from their summaries, and follows the policy: the latest one at each boundary.
 * Used on the session's event loop.
 */
final class CommandReader {
    private final SessionContext session;
    private final Supplier<Policy> policies;
    private final Dictionary dictionary;
    private Policy policy;
    private SessionRules<DomainRule> rules;

    CommandReader(SessionContext session, Supplier<Policy> policies, Dictionary dictionary) {
        this.session = session;
        this.policies = policies;
        this.dictionary = dictionary;
        policy = policies.get();
        rules = policy.rules.forSession(session);
    }

    /** Takes the latest policy; returns whether it is another one. */
    boolean refresh() {
        Policy latest = policies.get();
        if (latest == policy) {
            return false;
        }
        policy = latest;
        rules = latest.rules.forSession(session);
        return true;
    }

    Policy policy() {
        return policy;
    }

    SessionRules<DomainRule> rules() {
        return rules;
    }

    Work work(CommandView command, @Nullable StatementSummary summary) {
        boolean callsStored = summary != null && dictionary.callsStored(summary, schema(command), policy.guarded);
        return Work.of(command, summary, session.settings().temporaryTables(), callsStored);
    }

    /** Returns the tables that a command writes, in the order of their names. */
    TableEntry[] tables(CommandView command, @Nullable StatementSummary summary, Work work) {
        return policy.tables.touched(work, summary, schema(command));
    }

    /**
     * Returns the schema of unqualified names; for a prepared statement, the schema of its preparation. Null if there
     * is none, or a change of it is in flight.
     */
    private @Nullable String schema(CommandView command) {
        PreparedStatement prepared = command.prepared();
        if (prepared != null) {
            return prepared.schema();
        }
        return session.schemaInFlight() ? null : session.schema();
    }

    static long digest(@Nullable StatementSummary summary) {
        return summary == null ? 0 : summary.digest();
    }

    /** Returns whether it begins a transaction while autocommit is off. */
    static boolean begins(CommandView command, @Nullable StatementSummary summary) {
        return (summary == null ? command.kind() : summary.runs()).beginsTransaction();
    }

    static boolean changesSchema(CommandView command, @Nullable StatementSummary summary) {
        if (summary != null) {
            return summary.changesSchema();
        }
        StatementKind kind = command.kind();
        return kind.isDdl() && kind != StatementKind.TRUNCATE || kind == StatementKind.UNKNOWN;
    }
}
