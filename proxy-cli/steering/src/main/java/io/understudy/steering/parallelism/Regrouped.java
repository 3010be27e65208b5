package io.understudy.steering.parallelism;

import java.util.List;

/**
 * Commit groups as other settings would make them.
 *
 * @param groups in the order of the log
 * @param waitMicros for how long a transaction waits for the others of its group, the mean of all
 */
public record Regrouped(List<List<Workload.Entry>> groups, double waitMicros) {
    /** Returns the mean size of a group. */
    public double perGroup() {
        int transactions = groups.stream().mapToInt(List::size).sum();
        return groups.isEmpty() ? 0 : transactions / (double) groups.size();
    }
}
