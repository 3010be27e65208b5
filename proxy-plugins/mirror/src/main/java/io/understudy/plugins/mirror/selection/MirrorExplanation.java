package io.understudy.plugins.mirror.selection;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginDecision;
import io.understudy.rules.Explanation;
import io.understudy.rules.ReadFitness;
import io.understudy.rules.RuleSet;
import io.understudy.sql.Lookup;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The mirror's decision about one statement, with its reasons. */
public final class MirrorExplanation {
    private MirrorExplanation() {}

    /**
     * Explains one statement under a configuration. Opens no connection and counts nothing.
     *
     * @param config null if the mirror is not configured
     */
    public static PluginDecision of(@Nullable MirrorConfig config, ExplainedStatement subject) {
        if (config == null) {
            return decision(false, "plugin_off", null, List.of(), null);
        }
        Explanation<MirrorConfig.Rule> found =
                new RuleSet<>(config.rules(), MirrorConfig.Rule::name, MirrorConfig.Rule::match).explain(subject);
        MirrorConfig.Rule rule = found.value();
        boolean lookedUp = config.writes() == MirrorConfig.Writes.LOOKUPS && isLookedUp(subject.summary());
        Lookup lookup = lookedUp ? subject.lookup() : null;
        String unfit = lookedUp && lookup == null
                ? "no_lookup"
                : ReadFitness.unfit(
                        lookup == null ? subject.summary() : lookup.summary(),
                        config.pureFunctions(),
                        subject.schema(),
                        rule == null ? null : rule.match());
        if (unfit != null || rule == null) {
            return decision(false, unfit == null ? "no_rule" : unfit, rule, found.verdicts(), null);
        }
        boolean some = isSampled(rule);
        return decision(some, sampled(rule), rule, found.verdicts(), some ? lookup : null);
    }

    /**
     * Returns what {@code explain} shows.
     *
     * @param reason why it is not mirrored, in the words of the skip counter; if it is, "sampled" or "all"
     * @param lookup what would be mirrored in place of the statement, or null
     */
    private static PluginDecision decision(
            boolean mirrored,
            String reason,
            MirrorConfig.@Nullable Rule rule,
            List<Explanation.Verdict> verdicts,
            @Nullable Lookup lookup) {
        String sample = rule == null ? null : rule.sample().toString();
        String sent = lookup == null ? null : new String(lookup.text(), StandardCharsets.UTF_8);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("mirrored", mirrored);
        fields.put("reason", reason);
        fields.put("rule", rule == null ? null : rule.name());
        fields.put("sample", sample);
        fields.put("lookup", sent);
        List<PluginDecision.Line> lines = new ArrayList<>();
        String by = rule == null ? "" : " (rule " + rule.name() + ", sample " + sample + ")";
        lines.add(new PluginDecision.Line("mirrored", (mirrored ? "yes, " : "no, ") + reason + by));
        if (sent != null) {
            lines.add(new PluginDecision.Line("as", sent));
        }
        verdicts.forEach(verdict -> lines.add(new PluginDecision.Line(
                "", (verdict.matched() ? "rule " : "not rule ") + verdict.rule() + ": " + verdict.reason())));
        return new PluginDecision(fields, lines);
    }

    /** Returns whether {@code writes: lookups} concerns the statement: it is an UPDATE, a DELETE or a locking read. */
    public static boolean isLookedUp(@Nullable StatementSummary summary) {
        return summary != null
                && switch (summary.kind()) {
                    case UPDATE, DELETE -> true;
                    case SELECT -> summary.reason() == NotPure.LOCKING_READ;
                    default -> false;
                };
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
