package io.understudy.lost;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operator should know of a witness that does not acknowledge.
 *
 * @param what the state with its reason
 * @param remedy what to do
 */
public record WitnessWarning(String what, String remedy) {
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

    public static boolean isPresent(@Nullable Map<?, ?> view) {
        return view != null && "present".equals(view.get("state"));
    }
}
