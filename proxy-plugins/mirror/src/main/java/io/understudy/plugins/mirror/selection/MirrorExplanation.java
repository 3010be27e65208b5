package io.understudy.plugins.mirror.selection;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginDecision;
import io.understudy.rules.Explanation;
import io.understudy.rules.ReadFitness;
import io.understudy.rules.RuleSet;
import io.understudy.sql.Lookup;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** The mirror is not configured. */
    public static final MirrorExplanation OFF =
            new MirrorExplanation(false, "plugin_off", null, null, List.of(), false);

    /** Explains one statement under a configuration. Opens no connection and counts nothing. */
    public static MirrorExplanation of(MirrorConfig config, ExplainedStatement subject) {
        RuleSet<MirrorConfig.Rule> rules =
                new RuleSet<>(config.rules(), MirrorConfig.Rule::name, MirrorConfig.Rule::match);
        Lookup lookup = subject.lookup();
        Set<String> functions = config.pureFunctions();
        Explanation<MirrorConfig.Rule> found = rules.explain(subject);
        MirrorConfig.Rule rule = found.value();
        String sample = rule == null ? null : rule.sample().toString();
        boolean lookedUp =
                config.writes() == MirrorConfig.Writes.LOOKUPS && MirrorFitness.isLookedUp(subject.summary());
        StatementSummary sent = lookedUp && lookup != null ? lookup.summary() : subject.summary();
        String unfit = lookedUp && lookup == null
                ? "no_lookup"
                : ReadFitness.unfit(sent, functions, subject.schema(), rule == null ? null : rule.match());
        if (unfit != null) {
            return new MirrorExplanation(false, unfit, found.rule(), sample, found.verdicts(), false);
        }
        if (rule == null) {
            return new MirrorExplanation(false, "no_rule", null, null, found.verdicts(), false);
        }
        boolean some = isSampled(rule);
        return new MirrorExplanation(some, sampled(rule), found.rule(), sample, found.verdicts(), lookedUp && some);
    }

    /** Returns what {@code explain} shows. */
    public PluginDecision decision(ExplainedStatement subject) {
        Lookup read = lookup ? subject.lookup() : null;
        String sent = read == null ? null : new String(read.text(), StandardCharsets.UTF_8);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("mirrored", mirrored);
        fields.put("reason", reason);
        fields.put("rule", rule);
        fields.put("sample", sample);
        fields.put("lookup", sent);
        List<PluginDecision.Line> lines = new ArrayList<>();
        String by = rule == null ? "" : " (rule " + rule + ", sample " + sample + ")";
        lines.add(new PluginDecision.Line("mirrored", (mirrored ? "yes, " : "no, ") + reason + by));
        if (sent != null) {
            lines.add(new PluginDecision.Line("as", sent));
        }
        verdicts.forEach(verdict -> lines.add(new PluginDecision.Line(
                "", (verdict.matched() ? "rule " : "not rule ") + verdict.rule() + ": " + verdict.reason())));
        return new PluginDecision(fields, lines);
    }

    /** Returns whether the rule's sample may have a statement. */
    public static boolean isSampled(MirrorConfig.Rule rule) {
        return rule.sample().millionths() > 0 || rule.sample().isAdaptive();
    }

    /** Returns the reason of a statement that only the rule's sample decides about. */
    public static String sampled(MirrorConfig.Rule rule) {
        int rate = rule.sample().millionths();
        return rate == 0 ? "sample_0" : rate == SampleRate.ALL ? "all" : "sampled";
    }
}
