package io.understudy.steering;

/**
 * The known facts of a standby.
 *
 * @param name its name
 * @param workers {@code slave_parallel_threads}; -1 if unknown
 * @param mode {@code slave_parallel_mode} in lower case; empty if unknown
 * @param retries transactions that it repeated meanwhile; -1 if unknown
 * @param lateMicros how late it was at most: since a transaction arrived that it had not applied
 * @param delaySeconds {@code MASTER_DELAY}: it is late on purpose
 * @param problem why the rest is unknown, or empty
 */
public record StandbyFacts(
        String name, int workers, String mode, long retries, long lateMicros, long delaySeconds, String problem) {

    /** Returns whether it can be judged: its settings are known, and it is not late on purpose. */
    boolean judged() {
        return workers >= 0 && delaySeconds == 0;
    }

    /** Returns whether it is known to apply one transaction after the other. */
    boolean serial() {
        return workers == 0 || workers == 1 || workers > 1 && notParallel();
    }

    /** Returns whether its mode allows no two transactions of a domain at the same time. */
    boolean notParallel() {
        return mode.equals("none") || mode.equals("minimal");
    }

    /** Returns the settings that decide whether it applies in parallel. */
    String settings() {
        return "slave_parallel_threads = " + workers + ", slave_parallel_mode = " + mode;
    }

    /** Returns whether it applies commit group by commit group. */
    boolean conservative() {
        return mode.equals("conservative");
    }
}
