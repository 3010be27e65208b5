package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The warmth of one standby at one moment. Immutable.
 *
 * @param state what is known: {@code known}, or why it is not
 * @param cold page reads of a statement on the standby
 * @param floor page reads of a query on the primary
 * @param excess the difference
 * @param warmth 0 as cold as at the reference, 1 as warm as the primary; NaN while unknown
 * @param reference the excess that is warmth 0, or NaN
 * @param sinceRestart whether the reference was measured after a restart of the standby that the proxy saw
 * @param method how page reads are counted
 * @param probedShare share of the load that was probed, or NaN
 * @param forecast works out the forecast, which takes some milliseconds
 */
record Warmth(
        String state,
        Estimate cold,
        Estimate floor,
        Estimate excess,
        double warmth,
        double reference,
        boolean sinceRestart,
        String method,
        double probedShare,
        long mirrored,
        Supplier<Forecast> forecast,
        List<Map<String, @Nullable Object>> rules,
        List<Map<String, @Nullable Object>> tables,
        List<Map<String, @Nullable Object>> digests) {
    static final Warmth UNKNOWN = new Warmth(
            "no_probes",
            Estimate.UNKNOWN,
            Estimate.UNKNOWN,
            Estimate.UNKNOWN,
            Double.NaN,
            Double.NaN,
            false,
            "none",
            Double.NaN,
            0,
            () -> Forecast.UNKNOWN,
            List.of(),
            List.of(),
            List.of());

    /** Returns the figures of {@code /api/standbys}. */
    Map<String, @Nullable Object> summary() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("state", state);
        view.put("warmth", Estimate.rounded(warmth));
        view.put("excessPages", excess.view());
        view.put("coldPages", cold.view());
        view.put("floorPages", floor.view("statements"));
        view.put("reference", Estimate.rounded(reference));
        view.put("referenceFrom", Double.isNaN(reference) ? null : sinceRestart ? "restart" : "first_probes");
        view.put("method", method);
        view.put("probedShare", Double.isNaN(probedShare) ? null : Math.round(probedShare * 1e6) / 1e6);
        view.put("mirroredSinceRestart", mirrored);
        view.put("forecast", forecast.get().view());
        return view;
    }

    /** Returns where it is cold, for {@code /api/mirror}. */
    Map<String, Object> where() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("rules", rules);
        view.put("tables", tables);
        view.put("digests", digests);
        return view;
    }
}
