package io.understudy.rules;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of one rule and their evaluation. Thread-safe; evaluation allocates nothing. */
final class Conditions {
    private static final Logger log = LoggerFactory.getLogger(Conditions.class);

    /**
     * A rule's pattern is not tried again in a session in which a search was aborted, nor in any once there are so many
     * such sessions: one alone cannot end it for the others, nor take the time of each again.
     */
    static final int MAX_ABORTS = 3;

    /** In place of a session where no statement runs: its aborted searches do not count. */
    static final long NO_SESSION = -1;

    private final String rule;
    final Match match;
    private final LongAdder aborts = new LongAdder();
    private final AtomicInteger abortsLeft = new AtomicInteger(MAX_ABORTS);
    private final Set<Long> aborting = ConcurrentHashMap.newKeySet();

    Conditions(String rule, Match match) {
        this.rule = rule;
        this.match = match;
    }

    /** Whether a value matches one term of a key. */
    private interface Coverage<T, A, B> {
        boolean covers(T term, A value, @Nullable B context);
    }

    /**
     * Returns whether a key holds: one of its plain terms matches, if there are any, and none of its negated terms
     * does.
     */
    private static <T extends Term, A, B> boolean holds(
            List<T> terms, A value, @Nullable B context, Coverage<T, A, B> coverage) {
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            T term = terms.get(i);
            if (coverage.covers(term, value, context)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    /** Returns whether a key holds for a value that is unknown: no term matches it. */
    private static boolean holdsUnknown(List<? extends Term> terms) {
        return !Term.anyPlain(terms);
    }

    boolean userHolds(String user) {
        return holds(match.user(), user, this, (term, name, self) -> term.covers(name));
    }

    boolean schemaHolds(@Nullable String schema) {
        return schema == null
                ? holdsUnknown(match.schema())
                : holds(match.schema(), schema, this, (term, name, self) -> term.coversIgnoringCase(name));
    }

    boolean clientHolds(@Nullable InetAddress client) {
        return client == null
                ? holdsUnknown(match.client())
                : holds(match.client(), client, this, (term, address, self) -> term.covers(address));
    }

    boolean sessionHolds(String user, @Nullable String schema, @Nullable InetAddress client) {
        return userHolds(user) && schemaHolds(schema) && clientHolds(client);
    }

    boolean kindHolds(StatementKind kind) {
        return holds(match.kind(), kind, this, (term, of, self) -> term.covers(of));
    }

    boolean tableHolds(@Nullable StatementSummary summary, @Nullable String defaultSchema) {
        if (match.table().isEmpty()) {
            return true;
        }
        return summary != null
                && holds(
                        match.table(),
                        summary,
                        defaultSchema,
                        (term, of, schema) -> covers(term, of.writes(), schema) || covers(term, of.reads(), schema));
    }

    private static boolean covers(TableGlob term, List<TableName> tables, @Nullable String defaultSchema) {
        for (int i = 0; i < tables.size(); i++) {
            if (term.covers(tables.get(i), defaultSchema)) {
                return true;
            }
        }
        return false;
    }

    boolean digestHolds(@Nullable StatementSummary summary) {
        if (match.digest().isEmpty()) {
            return true;
        }
        return summary != null
                && holds(match.digest(), summary, this, (term, of, self) -> term.digest() == of.digest());
    }

    /** @param session the one whose statement runs, or {@link #NO_SESSION} */
    boolean patternHolds(@Nullable String normalized, long session) {
        List<TextPattern> terms = match.pattern();
        if (terms.isEmpty()) {
            return true;
        }
        if (normalized == null || patternOff() || passesOver(session)) {
            return false;
        }
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            TextPattern term = terms.get(i);
            TextPattern.Found found = term.search(normalized);
            if (found == TextPattern.Found.ABORTED) {
                if (session != NO_SESSION) {
                    aborted(term, session);
                }
                return false;
            }
            if (found == TextPattern.Found.YES) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    /** Returns whether the pattern is not tried in a session any more, as a search was aborted there. */
    boolean passesOver(long session) {
        return !aborting.isEmpty() && aborting.contains(session);
    }

    private void aborted(TextPattern term, long session) {
        aborts.increment();
        if (aborting.add(session) && abortsLeft.decrementAndGet() == 0) {
            log.warn(
                    "rule '{}': the pattern {} took more than {} steps in {} sessions and is switched off until the"
                            + " next reload; write it without nested repetitions",
                    rule,
                    term,
                    TextPattern.MAX_STEPS,
                    MAX_ABORTS);
        }
    }

    boolean patternOff() {
        return abortsLeft.get() <= 0;
    }

    long aborts() {
        return aborts.sum();
    }
}
