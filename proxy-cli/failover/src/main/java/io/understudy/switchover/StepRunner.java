package io.understudy.switchover;

import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Runs steps and prints each with the time that it took. Used by one thread. */
public record StepRunner(PrintWriter out) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    /** Prints a line, with the time of day. */
    public void line(String text) {
        out.println(LocalTime.now(ZoneId.systemDefault()).format(TIME) + "  " + text);
        out.flush();
    }

    /** Runs a step, and prints what it has done. */
    public void timed(Step step) throws Exception {
        long begun = System.nanoTime();
        String result = step.run();
        line(step.plan() + " (" + (System.nanoTime() - begun) / 1_000_000 + " ms) - " + result);
    }

    /** Runs a step, and prints what it has done, or why it failed. Returns whether it has not. */
    public boolean finish(Step step) throws InterruptedException {
        try {
            timed(step);
            return true;
        } catch (Exception e) {
            rethrowInterrupt(e);
            failed(step, e);
            return false;
        }
    }

    public void failed(Step step, Exception e) {
        String message = e.getMessage();
        line(step.plan() + " - FAILED: " + (message == null ? e.toString() : message));
    }

    public static void rethrowInterrupt(Exception e) throws InterruptedException {
        if (e instanceof InterruptedException interrupt) {
            throw interrupt;
        }
    }
}
