package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.TaggedRule;
import io.understudy.rules.Explanation;
import io.understudy.rules.RuleSet;
import io.understudy.sql.StatementSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules' decision about a statement outside a transaction, with its reasons. The guard's decision depends on
 * concurrent writes, so it is not included.
 *
 * @param domain the domain that it would be written in, or null if it writes nothing
 * @param rule name of the rule that matched, or null
 * @param reason {@code rule}, {@code no_rule}, {@code not_a_write}, {@code transaction} (the session part of the rules
 *     decides, under {@code guard: pin} the default domain), {@code client} (it sets the variable itself) or
 *     {@code tables_unknown} (under {@code guard: pin} the default domain)
 * @param verdicts one for each rule that was evaluated
 */
record DomainExplanation(
        @Nullable Long domain, @Nullable String rule, String reason, List<Explanation.Verdict> verdicts) {

    /** Said of a statement for which no domain is set. */
    static final String AS_IT_IS = "as the session has it";

    /** Returns the domain and its rule, for people. */
    String text() {
        return domain == null ? AS_IT_IS : domain + (rule == null ? " (the default)" : " (rule " + rule + ")");
    }

    /** Explains one statement under a configuration. Opens no connection and counts nothing. */
    static DomainExplanation of(GtidDomainConfig config, ExplainedStatement subject) {
        StatementSummary summary = subject.summary();
        Work work = summary == null
                ? Work.UNKNOWN
                : Work.of(
                        summary.kind(),
                        subject.normalized(),
                        summary,
                        false,
                        !summary.functions().isEmpty());
        RuleSet<TaggedRule> rules = new RuleSet<>(config.tags().rules(), TaggedRule::name, TaggedRule::match);
        Explanation<TaggedRule> found = rules.explain(subject);
        TaggedRule rule = found.value();
        boolean pin = config.guard() == Guard.PIN;
        if (work == Work.STEERS) {
            return new DomainExplanation(null, null, "client", List.of());
        } else if (work == Work.NONE) {
            return new DomainExplanation(null, null, "not_a_write", List.of());
        } else if (work == Work.BEGIN) {
            TaggedRule bySession = pin || rule == null || rule.match().hasStatementKeys() ? null : rule;
            return new DomainExplanation(
                    bySession == null ? config.defaultDomain() : bySession.domain(),
                    bySession == null ? null : bySession.name(),
                    "transaction",
                    found.verdicts());
        } else if (work != Work.TABLES && pin) {
            return new DomainExplanation(config.defaultDomain(), null, "tables_unknown", found.verdicts());
        }
        return rule == null
                ? new DomainExplanation(config.defaultDomain(), null, "no_rule", found.verdicts())
                : new DomainExplanation(rule.domain(), rule.name(), "rule", found.verdicts());
    }
}
