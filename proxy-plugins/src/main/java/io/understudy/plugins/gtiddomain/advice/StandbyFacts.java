package io.understudy.plugins.gtiddomain.advice;

/**
 * What is known of a standby.
 *
 * @param name its name
 * @param workers {@code slave_parallel_threads}; -1 if unknown
 * @param mode {@code slave_parallel_mode} in lower case; empty if unknown
 * @param retries transactions that it repeated in the time that the advice covers; -1 if unknown
 * @param applierKnown whether the account may see what the standby has received, and whether its applier runs
 * @param problem why the rest is unknown, or empty
 */
public record StandbyFacts(String name, int workers, String mode, long retries, boolean applierKnown, String problem) {

    /** Returns whether it applies commit group by commit group. */
    boolean conservative() {
        return mode.equals("conservative");
    }

    /** Returns whether it applies beside each other what may conflict. */
    boolean optimistic() {
        return mode.equals("optimistic") || mode.equals("aggressive");
    }
}
