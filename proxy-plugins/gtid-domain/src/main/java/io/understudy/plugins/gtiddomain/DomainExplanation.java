package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.rules.RuleSet;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/**
 * The rules' decision about a statement outside a transaction. The guard's decision depends on concurrent writes, so it
 * is not included.
 *
 * @param domain the domain that it would be written in, or null if it writes nothing or sets the variable itself
 * @param rule name of the rule that matched, or null
 */
record DomainExplanation(@Nullable Long domain, @Nullable String rule) {
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
                        subject.text(),
                        summary,
                        false,
                        !summary.functions().isEmpty());
        if (work == Work.STEERS || work == Work.NONE) {
            return new DomainExplanation(null, null);
        }
        RuleSet<DomainRule> rules = new RuleSet<>(config.domainRules(), DomainRule::name, DomainRule::match);
        DomainRule rule = rules.explain(subject).value();
        boolean pin = config.guard() == Guard.PIN;
        // Of a transaction the session part of the rules decides.
        boolean stays = work == Work.BEGIN
                ? pin || rule == null || rule.match().hasStatementKeys()
                : rule == null || work != Work.TABLES && pin;
        return stays || rule == null
                ? new DomainExplanation(config.defaultDomain(), null)
                : new DomainExplanation(rule.domain(), rule.name());
    }
}
