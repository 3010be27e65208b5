package io.understudy.fuzz;

import java.util.HexFormat;
import java.util.Random;

/** Runs a target. A failing input is printed in the corpus format. */
public final class Fuzz {
    /** Inputs have a few kilobytes at most, so a longer run is an endless loop. */
    private static final long TOO_LONG_NANOS = 10_000_000_000L;

    /** Processes an input; throws if a guarantee is violated. */
    public interface Target {
        void run(byte[] input) throws Exception;
    }

    private Fuzz() {}

    public static void corpus(Corpus corpus, Target target) {
        corpus.inputs().forEach((name, input) -> run(name, input, target));
    }

    public static void mutation(Corpus corpus, long seed, Target target) {
        run("seed " + seed, corpus.mutated(new Random(seed)), target);
    }

    private static void run(String name, byte[] input, Target target) {
        long start = System.nanoTime();
        try {
            target.run(input);
        } catch (Exception | AssertionError | OutOfMemoryError | StackOverflowError e) {
            throw new AssertionError(name + ", input " + HexFormat.of().formatHex(input), e);
        }
        if (System.nanoTime() - start > TOO_LONG_NANOS) {
            throw new AssertionError(
                    name + " took too long, input " + HexFormat.of().formatHex(input));
        }
    }
}
