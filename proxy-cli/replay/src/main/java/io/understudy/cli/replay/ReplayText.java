package io.understudy.cli.replay;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replay's figures for people. */
final class ReplayText {
    private ReplayText() {}

    static String of(Map<String, Object> view, boolean dryRun) {
        StringBuilder out = new StringBuilder();
        line(
                out,
                "events",
                view.get("events") + " read" + counts(" · refused: ", view.get("refused"))
                        + some(" · missing, as the log says: ", view.get("missing"))
                        + some(" · begun anew: ", view.get("rotations")));
        line(out, "left out", counts("", view.get("leftOut")));
        line(out, "sessions", view.get("sessions") + counts(" · whose capture lacks ", view.get("notCaptured")));
        line(out, "time as logged", times(view.get("loggedSeconds")));
        if (view.get("resumed") != null) {
            line(out, "played before", view.getOrDefault("playedBefore", 0) + counts(" · ", resumed(view)));
            line(out, "lacking", counts("", entries(view.get("resumed")).get("sessionsWithout")));
        }
        if (!dryRun) {
            double seconds = ((Number) view.getOrDefault("seconds", 0)).doubleValue();
            long sent = ((Number) view.getOrDefault("sent", 0)).longValue();
            line(out, "sent", String.format(Locale.ROOT, "%d in %.1f s, %.0f/s", sent, seconds, sent / seconds));
            line(out, "succeeded", view.get("ok") + ", " + view.get("rows") + " rows");
            line(out, "errors", counts("", view.get("errors")) + some(" · connections lost: ", view.get("lost")));
            if (view.containsKey("results")) {
                line(
                        out,
                        "as captured",
                        counts("", view.get("results"))
                                + counts(" · different by digest: ", view.get("differentDigests")));
            }
            line(out, "server's time", times(view.get("serverSeconds")));
            if (view.containsKey("lateSeconds")) {
                line(out, "sent late by", times(view.get("lateSeconds")));
                line(out, "of that, busy", times(view.get("behindSeconds")));
                if (view.containsKey("lateByLog")) {
                    line(out, "late by the log", view.get("lateByLog") + " · " + times(view.get("lateByLogSeconds")));
                }
            }
        }
        return out.toString();
    }

    private static Map<?, ?> resumed(Map<String, Object> view) {
        Map<String, Object> counts = new LinkedHashMap<>();
        Map<?, ?> resumed = entries(view.get("resumed"));
        counts.put("reads in flight, played again", resumed.get("readAgain"));
        counts.put("transactions begun again", resumed.get("transactionsRestarted"));
        counts.put("in flight, outcome unknown", resumed.get("outcomeUnknown"));
        return counts;
    }

    private static void line(StringBuilder out, String label, String value) {
        out.append(String.format("%-15s %s%n", label, value.isEmpty() ? "none" : value));
    }

    private static String some(String label, @Nullable Object count) {
        return count == null || ((Number) count).longValue() == 0 ? "" : label + count;
    }

    private static String counts(String label, @Nullable Object map) {
        StringBuilder out = new StringBuilder();
        entries(map)
                .forEach((reason, count) -> out.append(out.length() == 0 ? "" : ", ")
                        .append(reason)
                        .append(' ')
                        .append(count));
        return out.length() == 0 ? "" : label + out;
    }

    private static Map<?, ?> entries(@Nullable Object figures) {
        return figures == null ? Map.of() : (Map<?, ?>) figures;
    }

    private static String times(@Nullable Object figures) {
        StringBuilder out = new StringBuilder();
        entries(figures)
                .forEach((name, seconds) -> out.append(out.length() == 0 ? "" : " · ")
                        .append(String.format(
                                Locale.ROOT, "%s %.3f ms", name, ((Number) seconds).doubleValue() * 1000)));
        return out.toString();
    }
}
