package io.understudy.readiness;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks by the mirror's figures whether the standby's buffer pool is cold. */
final class ColdCheck implements Check {
    private static final String NAME = "cold";

    @Override
    public List<Finding> findings(Situation situation) {
        if (!situation.mirrors()) {
            return List.of();
        }
        Map<String, Object> warmth = situation.warmth();
        if (warmth != null && "was_primary".equals(warmth.get("state"))) {
            return List.of(); // until now it served what it would serve again
        }
        Double excess = warmth == null ? null : number(warmth.get("excessPages"), "estimate");
        Double least = warmth == null ? null : number(warmth.get("excessPages"), "low");
        boolean timeouts = warmth != null && "timeouts".equals(warmth.get("state"));
        if (warmth == null || excess == null || least == null || timeouts && least <= situation.coldAbove()) {
            return List.of(Finding.unknown(
                    NAME,
                    "",
                    "how cold it is, is not known"
                            + (warmth == null
                                    ? ": the proxy was not asked, or has no figures"
                                    : ": " + words(String.valueOf(warmth.get("state")))),
                    "a cold standby responds slowly for minutes after the promotion",
                    "let the mirror run for some minutes (docs/mirroring.md); on the standby: SET GLOBAL"
                            + " innodb_buffer_pool_load_now = 1"));
        }
        if (least <= situation.coldAbove()) { // within the accuracy of the estimate
            return List.of();
        }
        String until = seconds(warmth.get("forecast"), "secondsUntilWarm");
        String over = seconds(warmth.get("forecast"), "secondsOverCapacity");
        Double reads = number(warmth.get("forecast"), "extraReadsFirstMinute");
        return List.of(Finding.warns(
                NAME,
                "",
                String.format(
                                Locale.ROOT,
                                "it is cold: %s%.2f pages a statement above the primary's",
                                timeouts ? "at least " : "",
                                excess)
                        + (until.isEmpty() ? "" : ", warm in " + until),
                "after the promotion these pages come from its disk"
                        + (reads == null ? "" : String.format(Locale.ROOT, ": %,.0f in the first minute", reads))
                        + (over.isEmpty() ? "" : ", more than its disk gives for " + over),
                "mirror a larger sample until then (sample: adaptive)"));
    }

    /** Returns in words why the mirror has no figure. */
    private static String words(String state) {
        return switch (state) {
            case "no_probes" -> "fewer than ten mirrored SELECTs were measured on it yet";
            case "no_recent_probes" -> "no mirrored SELECT was measured on it lately";
            case "timeouts" -> "some mirrored SELECTs took too long there to be measured";
            case "partly_mirrored" -> "the rules mirror only a part of the primary's queries";
            case "floor_unknown" -> "the primary's own page reads are not known yet";
            default -> state;
        };
    }

    /** Returns a time of the forecast; empty if it has none, or none that says something. */
    private static String seconds(@Nullable Object forecast, String key) {
        Double seconds = number(forecast, key);
        if (seconds != null) {
            return seconds == 0 ? "" : String.format(Locale.ROOT, "about %.0f s", seconds);
        }
        if (forecast instanceof Map<?, ?> values && values.get(key) instanceof String words) {
            return words;
        }
        Double low = number(forecast, key + "Low");
        Double high = number(forecast, key + "High");
        if (low == null || low == 0 && high == null) {
            return "";
        }
        return high == null
                ? String.format(Locale.ROOT, "%.0f s or longer", low)
                : String.format(Locale.ROOT, "%.0f to %.0f s", low, high);
    }

    private static @Nullable Double number(@Nullable Object map, String key) {
        return map instanceof Map<?, ?> values && values.get(key) instanceof Number number
                ? number.doubleValue()
                : null;
    }
}
