package io.understudy.config;

/** Which events are logged: those of the level and of the levels above it in this order. */
public enum LogLevel {
    OFF,
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
}
