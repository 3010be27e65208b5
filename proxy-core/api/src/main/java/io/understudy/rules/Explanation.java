package io.understudy.rules;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.sql.StatementSummary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rule that matched, and why each one before it did not.
 *
 * @param rule name of the rule that matched, or null when none did
 * @param value the value of that rule, or null
 * @param index its index, or -1
 * @param verdicts one for each rule evaluated, in order; the last one is the match if there is one
 * @param <R> the type of a rule's value
 */
public record Explanation<R>(
        @Nullable String rule, @Nullable R value, int index, List<Verdict> verdicts) {

    /**
     * The result for one rule.
     *
     * @param reason a sentence: the key that did not hold, and the value found instead
     */
    public record Verdict(String rule, boolean matched, String reason) {}

    static <R> Explanation<R> of(RuleSet<R> rules, Conditions[] conditions, ExplainedStatement subject) {
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < conditions.length; i++) {
            String failure = failure(conditions[i], subject);
            verdicts.add(new Verdict(rules.name(i), failure == null, failure == null ? "every key holds" : failure));
            if (failure == null) {
                return new Explanation<>(rules.name(i), rules.rule(i), i, List.copyOf(verdicts));
            }
        }
        return new Explanation<>(null, null, SessionRules.NONE, List.copyOf(verdicts));
    }

    private static @Nullable String failure(Conditions rule, ExplainedStatement subject) {
        Match match = rule.match;
        StatementSummary summary = subject.summary();
        if (!rule.userHolds(subject.user())) {
            return differs("user", match.user(), "'" + subject.user() + "'");
        } else if (!rule.schemaHolds(subject.schema())) {
            return differs("schema", match.schema(), name(subject.schema(), "no schema"));
        } else if (!rule.clientHolds(subject.client())) {
            return differs(
                    "client",
                    match.client(),
                    subject.client() == null
                            ? "a client without an address"
                            : subject.client().getHostAddress());
        } else if (!rule.kindHolds(subject.kind())) {
            return differs("kind", match.kind(), subject.kind().label());
        } else if (!rule.digestHolds(summary)) {
            return differs("digest", match.digest(), summary == null ? "an unreadable statement" : summary.digestHex());
        } else if (!rule.tableHolds(summary, subject.schema())) {
            return differs("table", match.table(), tables(summary));
        } else if (!rule.patternHolds(subject.normalized(), Conditions.NO_SESSION)) {
            return rule.patternOff()
                    ? "pattern: switched off, its searches took too many steps"
                    : differs("pattern", match.pattern(), name(subject.normalized(), "an unreadable statement"));
        }
        return null;
    }

    private static String differs(String key, List<?> wanted, String found) {
        return key + ": " + wanted + " does not match " + found;
    }

    private static String name(@Nullable String text, String none) {
        return text == null ? none : "'" + text + "'";
    }

    private static String tables(@Nullable StatementSummary summary) {
        return summary == null
                ? "an unreadable statement"
                : "reads " + summary.reads() + ", writes " + summary.writes();
    }
}
