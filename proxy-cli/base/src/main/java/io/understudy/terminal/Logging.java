package io.understudy.terminal;

import io.understudy.config.LogLevel;
import io.understudy.logging.EventLog;

/** The log of commands that are not {@code run}, which logs as its file says. */
public final class Logging {
    private Logging() {}

    /** Logs only what a reader of the command's output has to know. */
    public static void quiet() {
        EventLog.level(LogLevel.WARN);
    }
}
