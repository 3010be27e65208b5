package io.understudy.bench;

import java.io.IOException;

/**
 * For machines that are quiet only at times: with {@code BENCH_GATE} in the environment a measurement waits for a line of input before it
 * warms up, and again before it measures.
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
            next = System.in.read(); // what the line says does not matter
        }
    }
}
