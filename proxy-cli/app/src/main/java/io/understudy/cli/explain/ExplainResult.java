package io.understudy.cli.explain;

import io.understudy.base.JsonWriter;
import io.understudy.plugin.PluginDecision.Line;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a statement.
 *
 * @param fields for programs, by keys that stay
 * @param lines for people
 */
public record ExplainResult(Map<String, @Nullable Object> fields, List<Line> lines) {
    /** Returns one line of JSON. */
    public String json() {
        return JsonWriter.write(fields);
    }

    /** Returns text for people. */
    public String text() {
        StringBuilder out = new StringBuilder();
        lines.forEach(line -> out.append(String.format("%-10s %s%n", line.label(), line.text())));
        return out.toString().stripTrailing();
    }
}
