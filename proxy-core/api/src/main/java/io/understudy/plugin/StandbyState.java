package io.understudy.plugin;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of the last probe of a standby.
 *
 * @param reachable the standby responded
 * @param readOnly {@code read_only} is on
 * @param lagSeconds replication lag, or null when unknown or not replicating
 * @param applierStopped a replication channel has an unknown lag, because it does not apply or does not receive
 * @param threadsRunning {@code Threads_running}, or -1 when unknown
 * @param coldReads InnoDB pages read from disk since the server's start, or -1 when unknown
 * @param uptimeSeconds time since the server's start, or -1 when unknown
 * @param problem why it is not reachable or not usable, or null
 */
public record StandbyState(
        boolean reachable,
        boolean readOnly,
        @Nullable Double lagSeconds,
        boolean applierStopped,
        int threadsRunning,
        long coldReads,
        long uptimeSeconds,
        @Nullable String problem) {
    public static final StandbyState UNKNOWN = new StandbyState(false, false, null, false, -1, "not yet contacted");

    /** Creates a state whose counters are unknown. */
    public StandbyState(
            boolean reachable,
            boolean readOnly,
            @Nullable Double lagSeconds,
            boolean applierStopped,
            int threadsRunning,
            @Nullable String problem) {
        this(reachable, readOnly, lagSeconds, applierStopped, threadsRunning, -1, -1, problem);
    }

    /**
     * Returns the values for a JSON view; what is not known is null, as everything of a server that does not respond.
     */
    public Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("reachable", reachable);
        view.put("readOnly", reachable ? readOnly : null);
        view.put("lagSeconds", lagSeconds);
        view.put("applierStopped", reachable ? applierStopped : null);
        view.put("threadsRunning", known(threadsRunning));
        view.put("coldReads", known(coldReads));
        view.put("uptimeSeconds", known(uptimeSeconds));
        view.put("problem", problem);
        return view;
    }

    private static @Nullable Long known(long value) {
        return value < 0 ? null : (Long) value;
    }
}
