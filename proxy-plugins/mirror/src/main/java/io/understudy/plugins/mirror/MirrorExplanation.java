package io.understudy.plugins.mirror;

import io.understudy.rules.ExplainedStatement;
import io.understudy.rules.Explanation;
import io.understudy.rules.RuleSet;
import io.understudy.sql.Lookup;
import io.understudy.sql.StatementSummary;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The mirror's decision about one statement, with its reasons.
 *
 * @param mirrored whether it would be mirrored, or could be with a sample below 100 %
 * @param reason why not, in the words of the skip counter; if it is mirrored, "sampled" or "all"
 * @param rule name of the rule that matched, or null
 * @param sample that rule's rate, or null
 * @param verdicts one for each rule that was evaluated
 * @param lookup whether a look-up would be mirrored in place of the statement
 */
public record MirrorExplanation(
        boolean mirrored,
        String reason,
        @Nullable String rule,
        @Nullable String sample,
        List<Explanation.Verdict> verdicts,
        boolean lookup) {

    /** Explains one statement under a configuration. Opens no connection and counts nothing. */
    public static MirrorExplanation of(MirrorConfig config, ExplainedStatement subject) {
        return of(config, subject, null);
    }

    /**
     * As {@link #of(MirrorConfig, ExplainedStatement)}.
     *
     * @param lookup of the statement, or null if there is none
     */
    public static MirrorExplanation of(MirrorConfig config, ExplainedStatement subject, @Nullable Lookup lookup) {
        return of(
                config,
                new RuleSet<>(config.rules(), MirrorConfig.Rule::name, MirrorConfig.Rule::match),
                subject,
                lookup);
    }

    /** @param rules of the configuration; making them costs more than a statement */
    static MirrorExplanation of(
            MirrorConfig config,
            RuleSet<MirrorConfig.Rule> rules,
            ExplainedStatement subject,
            @Nullable Lookup lookup) {
        Set<String> functions = config.pureFunctions();
        Explanation<MirrorConfig.Rule> found = rules.explain(subject);
        MirrorConfig.Rule rule = found.value();
        String sample = rule == null ? null : rule.sample().toString();
        boolean lookedUp =
                config.writes() == MirrorConfig.Writes.LOOKUPS && MirrorFitness.isLookedUp(subject.summary());
        StatementSummary sent = lookedUp && lookup != null ? lookup.summary() : subject.summary();
        String unfit = lookedUp && lookup == null
                ? "no_lookup"
                : MirrorFitness.unfit(sent, functions, subject.schema(), rule == null ? null : rule.match());
        if (unfit != null) {
            return new MirrorExplanation(false, unfit, found.rule(), sample, found.verdicts(), false);
        }
        if (rule == null) {
            return new MirrorExplanation(false, "no_rule", null, null, found.verdicts(), false);
        }
        boolean some = isSampled(rule);
        return new MirrorExplanation(some, sampled(rule), found.rule(), sample, found.verdicts(), lookedUp && some);
    }

    /** Returns whether the rule's sample may have a statement. */
    static boolean isSampled(MirrorConfig.Rule rule) {
        return rule.sample().millionths() > 0 || rule.sample().isAdaptive();
    }

    /** Returns the reason of a statement that only the rule's sample decides about. */
    static String sampled(MirrorConfig.Rule rule) {
        int rate = rule.sample().millionths();
        return rate == 0 ? "sample_0" : rate == SampleRate.ALL ? "all" : "sampled";
    }
}
