package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;

/**
 * One stall of one standby.
 *
 * @param standby its name
 * @param head the transaction that it had to apply first
 * @param micros for how long at least: between the first and the last probe that found it unapplied
 * @param behind transactions that waited behind it
 * @param received whether the standby is known to have had the transaction; otherwise the network may be the cause
 */
public record Stall(String standby, Workload.Entry head, long micros, int behind, boolean received) {
    /** Returns whether it is too short to be a finding. */
    boolean brief() {
        return micros < Stalls.LEAST_MICROS;
    }
}
