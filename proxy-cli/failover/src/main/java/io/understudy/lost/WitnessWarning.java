package io.understudy.lost;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an operator should know of a witness that does not acknowledge.
 *
 * @param what the state with its reason
 * @param remedy what to do
 */
public record WitnessWarning(String what, String remedy) {
    /** Reasons that pass by themselves, or that the proxy tells of the primary. */
    private static final Set<String> OF_THE_PRIMARY = Set.of("behind", "connection", "not_primary");

    /**
     * Returns the warning, or null if the witness is present.
     *
     * @param view the response of {@code /api/witness}, or null if no proxy acknowledges
     */
    public static @Nullable WitnessWarning of(@Nullable Object view) {
        if (!(view instanceof Map<?, ?> witness) || !witness.containsKey("state") || isPresent(witness)) {
            return null;
        }
        Object state = witness.get("state");
        Object reason = witness.get("reason");
        return new WitnessWarning(
                "the witness does not acknowledge (" + (state.equals(reason) ? "" : state + ", ") + reason + ", for "
                        + witness.get("sinceSeconds") + " s): " + witness.get("cause"),
                String.valueOf(witness.get("remedy")));
    }

    /**
     * As {@link #of}; also for a black box that acknowledges nothing, while a disk or a fault keeps it from keeping.
     */
    public static @Nullable WitnessWarning ofKeeping(@Nullable Object view) {
        if (!(view instanceof Map<?, ?> box) || !Boolean.FALSE.equals(box.get("keeps"))) {
            return of(view);
        }
        Object reason = box.get("reason");
        return OF_THE_PRIMARY.contains(String.valueOf(reason))
                ? null
                : new WitnessWarning(
                        "the black box keeps nothing (" + reason + ", for " + box.get("sinceSeconds") + " s): "
                                + box.get("cause"),
                        String.valueOf(box.get("remedy")));
    }

    public static boolean isPresent(@Nullable Map<?, ?> view) {
        return view != null && "present".equals(view.get("state"));
    }
}
