package io.understudy.readiness;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks by the mirror's figures whether the standby's buffer pool is cold. */
final class ColdCheck {
    private ColdCheck() {}

    static void find(Findings found) {
        Double coldAbove = found.situation().expected().coldAbove();
        if (coldAbove == null) {
            return;
        }
        Map<String, Object> warmth = found.situation().proxy().warmth();
        if (warmth != null && "was_primary".equals(warmth.get("state"))) {
            return; // until now it served what it would serve again
        }
        Double least = warmth == null ? null : number(warmth.get("excessPages"), "low");
        boolean cold = least != null && least > coldAbove;
        boolean known = warmth != null && "known".equals(warmth.get("state")) && least != null;
        if (known && !cold) { // within the accuracy of the estimate
            return;
        }
        if (warmth == null || !cold) {
            found.unknown(
                    "",
                    "how cold it is, is not known"
                            + (warmth == null
                                    ? ": the proxy was not asked, or has no figures"
                                    : ": " + warmth.getOrDefault("why", warmth.get("state"))),
                    "a cold standby responds slowly for minutes after the promotion",
                    "let the mirror run for some minutes (docs/mirroring.md); on the standby: SET GLOBAL"
                            + " innodb_buffer_pool_load_now = 1");
            return;
        }
        Double excess = number(warmth.get("excessPages"), "estimate");
        boolean bound = excess == null || "timeouts".equals(warmth.get("state"));
        String until = seconds(warmth.get("forecast"), "secondsUntilWarm");
        String over = seconds(warmth.get("forecast"), "secondsOverCapacity");
        Double reads = number(warmth.get("forecast"), "extraReadsFirstMinute");
        found.warns(
                "",
                String.format(
                                Locale.ROOT,
                                "it is cold: %s%.2f pages a statement above the primary's",
                                bound ? "at least " : "",
                                excess == null ? least : excess)
                        + (until.isEmpty() ? "" : ", warm in " + until),
                "after the promotion these pages come from its disk"
                        + (reads == null ? "" : String.format(Locale.ROOT, ": %,.0f in the first minute", reads))
                        + (over.isEmpty() ? "" : ", more than its disk gives for " + over),
                "mirror a larger sample until then (sample: adaptive)");
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
