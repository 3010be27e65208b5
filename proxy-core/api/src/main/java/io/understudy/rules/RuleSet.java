package io.understudy.rules;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rules in order; the first that matches wins. Thread-safe: immutable except for its caches and counters, and shared by
 * all sessions. {@code R} is the value of a plugin's rule, normally the record that its configuration was bound to.
 *
 * @param <R> the type of a rule's value
 */
public final class RuleSet<R> {

    /** Number of cached results, one for each pair of digest and {@link SessionPart}; a power of two. */
    private static final int CACHE_SIZE = 8192;

    private record Result(long digest, SessionPart part, int rule) {}

    private final List<R> rules;
    private final List<String> names;
    private final Conditions[] conditions;
    private final LongAdder[] hits;
    private final boolean tableKeys;
    private final AtomicReferenceArray<@Nullable Result> responses;

    /**
     * Creates the set.
     *
     * @param name returns the rule's name in logs, metrics and explanations
     * @param match returns the rule's condition
     */
    public RuleSet(List<R> rules, Function<R, String> name, Function<R, Match> match) {
        this.rules = List.copyOf(rules);
        names = this.rules.stream().map(name).toList();
        conditions = new Conditions[rules.size()];
        hits = new LongAdder[rules.size()];
        boolean anyStatementKeys = false;
        boolean anyTableKeys = false;
        for (int i = 0; i < conditions.length; i++) {
            Match keys = match.apply(this.rules.get(i));
            conditions[i] = new Conditions(names.get(i), keys);
            hits[i] = new LongAdder();
            anyStatementKeys |= keys.hasStatementKeys();
            anyTableKeys |= !keys.table().isEmpty();
        }
        tableKeys = anyTableKeys;
        responses = new AtomicReferenceArray<>(anyStatementKeys ? CACHE_SIZE : 0);
    }

    /**
     * Returns the rules for one session. The observer keeps the object and uses it on the session's event loop only.
     */
    public SessionRules<R> forSession(SessionContext session) {
        return new SessionRules<>(this, session);
    }

    public int size() {
        return conditions.length;
    }

    public R rule(int index) {
        return rules.get(index);
    }

    public String name(int index) {
        return names.get(index);
    }

    /** Returns how often a rule was the first to match. */
    public long hits(int index) {
        return hits[index].sum();
    }

    /** Returns how many searches for a rule's pattern were aborted because they took too many steps. */
    public long patternAborts(int index) {
        return conditions[index].aborts();
    }

    /** Returns which rule matches and why the ones before it do not. Does not count a hit. */
    public Explanation<R> explain(ExplainedStatement subject) {
        return Explanation.of(this, conditions, subject);
    }

    /**
     * Returns the index of the first rule that matches, or {@link SessionRules#NONE}, as the sessions find it. Changes
     * nothing for them: counts neither a hit nor an aborted search.
     */
    public int peek(ExplainedStatement subject) {
        SessionPart part = part(subject.user(), subject.schema(), subject.client(), subject.schema());
        if (part.candidates.length == 0) {
            return part.fallback;
        }
        StatementSummary summary = subject.summary();
        if (summary != null) {
            Result known = responses.get(slot(summary.digest(), part));
            if (known != null && known.digest == summary.digest() && known.part.isLike(part)) {
                return known.rule;
            }
        }
        for (int candidate : part.candidates) {
            if (statementHolds(conditions[candidate], subject, part.schema)) {
                return candidate;
            }
        }
        return part.fallback;
    }

    /** Returns whether a rule before {@code index} would match if the client of {@code subject} were another one. */
    public boolean dependsOnClient(ExplainedStatement subject, int index) {
        for (int i = 0; i < (index < 0 ? conditions.length : index); i++) {
            Conditions rule = conditions[i];
            if (!rule.match.client().isEmpty()
                    && rule.userHolds(subject.user())
                    && rule.schemaHolds(subject.schema())
                    && !rule.clientHolds(subject.client())
                    && statementHolds(rule, subject, subject.schema())) {
                return true;
            }
        }
        return false;
    }

    private static boolean statementHolds(Conditions rule, ExplainedStatement subject, @Nullable String schema) {
        return rule.kindHolds(subject.kind())
                && rule.digestHolds(subject.summary())
                && rule.tableHolds(subject.summary(), schema)
                && rule.patternHolds(subject.normalized(), Conditions.NO_SESSION);
    }

    void hit(int index) {
        hits[index].increment();
    }

    /** Returns whether any rule depends on tables. */
    boolean usesTables() {
        return tableKeys;
    }

    /**
     * Returns the session's part of the evaluation.
     *
     * @param tables the schema that unqualified table names refer to
     */
    SessionPart part(String user, @Nullable String schema, @Nullable InetAddress client, @Nullable String tables) {
        int[] candidates = new int[conditions.length];
        int count = 0;
        int decided = -1;
        for (int i = 0; i < conditions.length && decided < 0; i++) {
            if (conditions[i].sessionHolds(user, schema, client)) {
                if (conditions[i].match.hasStatementKeys()) {
                    candidates[count++] = i;
                } else {
                    decided = i;
                }
            }
        }
        return new SessionPart(Arrays.copyOf(candidates, count), decided, tables, tableKeys);
    }

    /** Returns the index of the first rule that matches the statement, or -1. */
    int find(SessionPart part, CommandView command, long session) {
        if (part.candidates.length == 0) {
            return part.fallback;
        }
        StatementSummary summary = command.summary();
        if (summary == null) {
            return evaluate(part, command, null, session);
        }
        long digest = summary.digest();
        int slot = slot(digest, part);
        Result known = responses.get(slot);
        if (known != null && known.digest == digest && known.part.isLike(part)) {
            return known.rule;
        }
        boolean forAll = !passesOver(part, session);
        int rule = evaluate(part, command, summary, session);
        if (forAll) {
            responses.set(slot, new Result(digest, part, rule));
        }
        return rule;
    }

    /** Returns whether a candidate is not tried in this session alone, so that what is found is of no other one. */
    private boolean passesOver(SessionPart part, long session) {
        for (int candidate : part.candidates) {
            if (conditions[candidate].passesOver(session)) {
                return true;
            }
        }
        return false;
    }

    private int slot(long digest, SessionPart part) {
        long mixed = (digest ^ part.seed) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & responses.length() - 1;
    }

    private int evaluate(SessionPart part, CommandView command, @Nullable StatementSummary summary, long session) {
        StatementKind kind = summary == null ? command.kind() : summary.kind();
        String normalized = null;
        for (int candidate : part.candidates) {
            Conditions rule = conditions[candidate];
            if (!rule.kindHolds(kind) || !rule.digestHolds(summary) || !rule.tableHolds(summary, part.schema)) {
                continue;
            }
            if (!rule.match.pattern().isEmpty()) {
                if (normalized == null) {
                    normalized = command.normalizedText();
                }
                if (!rule.patternHolds(normalized, session)) {
                    continue;
                }
            }
            return candidate;
        }
        return part.fallback;
    }
}
