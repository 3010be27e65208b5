package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.rules.Explanation;
import io.understudy.rules.RuleSet;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The decision of the rules on one lever for a statement outside of transactions, in a session that commits each
 * statement.
 *
 * @param action as a rule has it: {@code alter: two-phase} or {@code parallel: skip}
 * @param rule name of the rule that matched, or null
 * @param applies whether the lever is on for the statement
 * @param reason why not, as a sentence; empty if it is on
 */
public record SteeringExplanation(String action, @Nullable String rule, boolean applies, String reason) {
    /** Returns the decision for programs. */
    public Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("action", action);
        fields.put("applies", applies);
        fields.put("rule", rule);
        fields.put("reason", reason);
        return fields;
    }

    /** Returns the decision for people. */
    public String text() {
        return action + ": " + (applies ? "yes" : "no, " + reason) + (rule == null ? "" : " (rule " + rule + ")");
    }

    /** Explains one statement. Opens no connection and counts nothing. */
    public static SteeringExplanation of(Lever lever, List<LeverRule> rules, ExplainedStatement subject) {
        Explanation<LeverRule> found = new RuleSet<>(rules, LeverRule::name, LeverRule::match).explain(subject);
        StatementSummary summary = subject.summary();
        StatementKind kind = summary == null ? StatementKind.UNKNOWN : summary.runs();
        if (found.rule() == null) {
            return new SteeringExplanation(lever.action(), null, false, "no rule matches");
        }
        String gap = lever == Lever.TWO_PHASE
                ? TwoPhaseCoverage.gap(kind, subject.normalized())
                : Wanted.writes(summary, kind) ? "" : "it writes nothing";
        String reason = gap == null ? "it is no schema change" : gap;
        return new SteeringExplanation(lever.action(), found.rule(), reason.isEmpty(), reason);
    }
}
