package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The warmth of one standby at one moment. Immutable.
 *
 * @param state what is known
 * @param cold page reads of a statement on the standby
 * @param floor page reads of a query on the primary
 * @param excess the difference
 * @param warmth 0 as cold as at the reference, 1 as warm as the primary; NaN while unknown
 * @param reference the excess that is warmth 0
 * @param method how page reads are counted
 * @param probedShare share of the load that was probed, or NaN
 * @param timedOutShare share of the load whose probes took too long to be counted
 * @param coveredShare share of the relayed queries that rules mirror, if only in part, or NaN
 * @param relayedShare share of the primary's queries that pass this proxy, or NaN
 * @param lastProbeSeconds age of the last probe, or NaN
 * @param mirrored statements since its restart
 * @param forecast works out the forecast when it is asked for
 * @param where the coldest rules, tables and digests
 */
record Warmth(
        WarmthState state,
        Estimate cold,
        Estimate floor,
        Estimate excess,
        double warmth,
        ColdReference reference,
        String method,
        double probedShare,
        double timedOutShare,
        double coveredShare,
        double relayedShare,
        double lastProbeSeconds,
        long mirrored,
        Supplier<Forecast> forecast,
        ProbeFigures.Where where) {
    static final Warmth UNKNOWN = new Warmth(
            WarmthState.NO_PROBES,
            Estimate.UNKNOWN,
            Estimate.UNKNOWN,
            Estimate.UNKNOWN,
            Double.NaN,
            ColdReference.NONE,
            "none",
            Double.NaN,
            0,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            0,
            () -> Forecast.UNKNOWN,
            ProbeFigures.Where.UNKNOWN);

    /** Returns the figures of {@code /api/standbys}. */
    Map<String, @Nullable Object> summary() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("state", state.label());
        if (state != WarmthState.KNOWN) {
            view.put("why", state.why());
        }
        view.put("warmth", Estimate.rounded(warmth));
        view.put("excessPages", excess.view());
        view.put("coldPages", cold.view());
        view.put("floorPages", floor.view("statements"));
        view.put("reference", Estimate.rounded(reference.excess()));
        view.put("referenceFrom", reference.from());
        view.put("method", method);
        view.put("probedShare", Double.isNaN(probedShare) ? null : Math.round(probedShare * 1e6) / 1e6);
        view.put("timedOutShare", Math.round(timedOutShare * 1e6) / 1e6);
        view.put("coveredShare", thousandths(coveredShare));
        view.put("relayedShare", thousandths(relayedShare));
        view.put("lastProbeSeconds", Double.isNaN(lastProbeSeconds) ? null : Math.round(lastProbeSeconds));
        view.put("mirroredSinceRestart", mirrored);
        view.put("forecast", forecast.get().view());
        return view;
    }

    private static @Nullable Double thousandths(double value) {
        return Double.isNaN(value) ? null : Math.round(value * 1e3) / 1e3;
    }
}
