package io.understudy.rules;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One rule's keys, each with the question that it asks. Any thread; the loops allocate nothing. */
final class Conditions {
    private static final Logger log = LoggerFactory.getLogger(Conditions.class);

    /** After so many searches that had to be given up a rule's pattern is not tried again. */
    static final int MAX_ABORTS = 3;

    private final String rule;
    final Match match;
    private final LongAdder aborts = new LongAdder();
    private final AtomicInteger abortsLeft = new AtomicInteger(MAX_ABORTS);

    Conditions(String rule, Match match) {
        this.rule = rule;
        this.match = match;
    }

    boolean userHolds(String user) {
        List<NameGlob> terms = match.user();
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            NameGlob term = terms.get(i);
            if (term.covers(user)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    boolean schemaHolds(@Nullable String schema) {
        List<NameGlob> terms = match.schema();
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            NameGlob term = terms.get(i);
            if (term.coversIgnoringCase(schema)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    boolean clientHolds(@Nullable InetAddress client) {
        List<ClientNet> terms = match.client();
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            ClientNet term = terms.get(i);
            if (term.covers(client)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    boolean sessionHolds(String user, @Nullable String schema, @Nullable InetAddress client) {
        return userHolds(user) && schemaHolds(schema) && clientHolds(client);
    }

    boolean kindHolds(StatementKind kind) {
        List<KindTerm> terms = match.kind();
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            KindTerm term = terms.get(i);
            if (term.covers(kind)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    boolean tableHolds(@Nullable StatementSummary summary, @Nullable String defaultSchema) {
        List<TableGlob> terms = match.table();
        if (terms.isEmpty()) {
            return true;
        }
        if (summary == null) {
            return false;
        }
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            TableGlob term = terms.get(i);
            if (covers(term, summary.writes(), defaultSchema) || covers(term, summary.reads(), defaultSchema)) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
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
        List<DigestTerm> terms = match.digest();
        if (terms.isEmpty()) {
            return true;
        }
        if (summary == null) {
            return false;
        }
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            DigestTerm term = terms.get(i);
            if (term.digest() == summary.digest()) {
                if (term.negated()) {
                    return false;
                }
                holds = true;
            }
        }
        return holds;
    }

    boolean patternHolds(@Nullable String normalized) {
        List<TextPattern> terms = match.pattern();
        if (terms.isEmpty()) {
            return true;
        }
        if (normalized == null || patternOff()) {
            return false;
        }
        boolean holds = !Term.anyPlain(terms);
        for (int i = 0; i < terms.size(); i++) {
            TextPattern term = terms.get(i);
            TextPattern.Found found = term.search(normalized);
            if (found == TextPattern.Found.ABORTED) {
                aborted(term);
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

    private void aborted(TextPattern term) {
        aborts.increment();
        if (abortsLeft.decrementAndGet() == 0) {
            log.warn(
                    "rule '{}': the pattern {} took more than {} steps for {} statements and is switched off until the next "
                            + "reload; write it without nested repetitions",
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
