package io.understudy.switchover;

import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Prints each step with its time. */
public final class StepLog {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    private final PrintWriter out;

    public StepLog(PrintWriter out) {
        this.out = out;
    }

    public void line(String text) {
        out.println(LocalTime.now(ZoneId.systemDefault()).format(TIME) + "  " + text);
        out.flush();
    }
}
