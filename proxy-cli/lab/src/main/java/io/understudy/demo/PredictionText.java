package io.understudy.demo;

import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;

/** The part {@code prediction} of {@code /api/commits}, in words. */
final class PredictionText {
    private PredictionText() {}

    /** Returns lines, the last one without a line end; empty without commits. */
    static String of(Object commitsView) {
        Object view;
        try {
            view = JsonReader.read(JsonWriter.write(commitsView));
        } catch (IOException e) {
            throw new UncheckedIOException("what commit-latency publishes is no JSON", e);
        }
        if (!(view instanceof Map<?, ?> map)
                || !(map.get("prediction") instanceof Map<?, ?> figures)
                || Table.number(figures, "commits") == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "  prediction, from %.0f commits with semi-sync as it was at first:%n"
                        + "    round trip to the acknowledging replica %.2f ms (median own acknowledgement)%n"
                        + "    ceiling of one connection %.1f commits/s (one after another, %.2f ms each)%n"
                        + "    connections that commit at the same time for the observed %.1f commits/s: %.1f",
                Table.number(figures, "commits"),
                Table.number(figures, "roundTripMillis"),
                Table.number(figures, "ceilingPerConnection"),
                Table.number(figures, "commitMillis"),
                Table.number(figures, "commitsPerSecond"),
                Table.number(figures, "connectionsNeeded"));
    }
}
