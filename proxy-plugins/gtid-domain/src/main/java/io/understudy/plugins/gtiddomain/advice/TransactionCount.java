package io.understudy.plugins.gtiddomain.advice;

import java.util.ArrayDeque;
import java.util.Deque;

/** The number of transactions in the last minutes, by steps of ten seconds. Thread-safe. */
final class TransactionCount {
    private static final long STEP_NANOS = 10_000_000_000L;
    private static final int STEPS = 61;

    private static final class Step {
        final long sinceNanos;
        long count;

        Step(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    private final Deque<Step> steps = new ArrayDeque<>();

    synchronized void add(long nanos) {
        Step last = steps.peekLast();
        if (last == null || nanos - last.sinceNanos >= STEP_NANOS) {
            last = new Step(nanos);
            steps.addLast(last);
            if (steps.size() > STEPS) {
                steps.removeFirst();
            }
        }
        last.count++;
    }

    /** Returns the number since about that time, ten minutes ago at most. */
    synchronized long since(long nanos) {
        return steps.stream()
                .filter(step -> step.sinceNanos - nanos >= 0)
                .mapToLong(step -> step.count)
                .sum();
    }
}
