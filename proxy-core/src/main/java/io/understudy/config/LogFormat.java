package io.understudy.config;

/** How an event of the log is written: one line in any case. */
public enum LogFormat {
    /** Time, level, class, message, then keys with their values. */
    TEXT,
    /** One JSON object. */
    JSON
}
