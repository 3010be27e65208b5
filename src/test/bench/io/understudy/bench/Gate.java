package io.understudy.bench;

import java.io.IOException;

/**
 * Starts measurements on request, for machines that are idle only at times. With {@code BENCH_GATE} in the environment
 * a measurement waits for a line of input before the warm-up and again before it measures.
 */
final class Gate {
    private Gate() {}

    static void pass(String what) throws IOException {
        if (System.getenv("BENCH_GATE") == null) {
            return;
        }
        System.out.println("waits for a line of input: " + what);
        int next = System.in.read();
        while (next != '\n' && next >= 0) {
            next = System.in.read(); // the content of the line is ignored
        }
    }
}
