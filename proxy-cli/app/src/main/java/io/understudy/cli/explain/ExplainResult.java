package io.understudy.cli.explain;

import io.understudy.base.JsonWriter;
import io.understudy.plugins.gtiddomain.steering.SteeringExplanation;
import io.understudy.rules.Explanation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a statement.
 *
 * @param id of the request
 * @param mirrored whether it would be mirrored, as far as its text and the rules decide
 * @param reason why not; when it would, "all" or "sampled"
 * @param rule the mirror's rule, or null
 * @param sample that rule's rate, or null
 * @param lookup the read that is mirrored in place of the statement, or null
 * @param kind the statement's kind as rules name it
 * @param reads tables read
 * @param writes tables written
 * @param domain the GTID domain it would get, or null when none is set
 * @param domainRule the rule of that domain, or null
 * @param actions for each lever that some rule has, whether it would be on
 * @param digest in hex
 * @param normalized text without literals
 * @param verdicts the mirror's rules in the order in which they were tried
 */
public record ExplainResult(
        @Nullable Object id,
        boolean mirrored,
        String reason,
        @Nullable String rule,
        @Nullable String sample,
        @Nullable String lookup,
        String kind,
        List<String> reads,
        List<String> writes,
        @Nullable Long domain,
        @Nullable String domainRule,
        List<SteeringExplanation> actions,
        String digest,
        String normalized,
        List<Explanation.Verdict> verdicts) {

    /** Returns one line, with keys that are stable for scripts. */
    public String json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("mirrored", mirrored);
        fields.put("reason", reason);
        fields.put("rule", rule);
        fields.put("kind", kind);
        fields.put("reads", reads);
        fields.put("writes", writes);
        fields.put("domain", domain);
        fields.put("digest", digest);
        fields.put("sample", sample);
        fields.put("lookup", lookup);
        fields.put("domainRule", domainRule);
        fields.put("actions", actions.stream().map(ExplainResult::fields).toList());
        return JsonWriter.write(fields);
    }

    private static Map<String, Object> fields(SteeringExplanation action) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("action", action.action());
        fields.put("applies", action.applies());
        fields.put("rule", action.rule());
        fields.put("reason", action.reason());
        return fields;
    }

    /** Returns text for people. */
    public String text() {
        StringBuilder out = new StringBuilder();
        line(out, "statement", normalized);
        line(out, "kind", kind);
        line(out, "digest", digest);
        line(out, "reads", reads.isEmpty() ? "-" : String.join(", ", reads));
        line(out, "writes", writes.isEmpty() ? "-" : String.join(", ", writes));
        String by = rule == null ? "" : " (rule " + rule + ", sample " + sample + ")";
        line(out, "mirrored", (mirrored ? "yes, " : "no, ") + reason + by);
        if (lookup != null) {
            line(out, "as", lookup);
        }
        for (Explanation.Verdict verdict : verdicts) {
            line(out, "", (verdict.matched() ? "rule " : "not rule ") + verdict.rule() + ": " + verdict.reason());
        }
        line(
                out,
                "domain",
                domain == null
                        ? "as the session has it"
                        : domain + (domainRule == null ? " (the default)" : " (rule " + domainRule + ")"));
        for (SteeringExplanation action : actions) {
            String chosen = action.rule() == null ? "" : " (rule " + action.rule() + ")";
            line(
                    out,
                    "action",
                    action.action() + ": " + (action.applies() ? "yes" : "no, " + action.reason()) + chosen);
        }
        return out.toString().stripTrailing();
    }

    private static void line(StringBuilder out, String label, String value) {
        out.append(String.format("%-10s %s%n", label, value));
    }
}
