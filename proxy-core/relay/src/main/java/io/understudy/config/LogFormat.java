package io.understudy.config;

/** The form of an event of the log: one line in any case. */
public enum LogFormat {
    /** Time, level, class, message, then keys with their values. */
    TEXT,
    /** One JSON object. */
    JSON
}
