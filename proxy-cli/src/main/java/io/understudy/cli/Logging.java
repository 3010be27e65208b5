package io.understudy.cli;

/** Logger settings that must be in place before the first log line; -D overrides each. */
public final class Logging {
    private Logging() {}

    public static void configure() {
        set("org.slf4j.simpleLogger.showDateTime", "true");
        set("org.slf4j.simpleLogger.dateTimeFormat", "yyyy-MM-dd HH:mm:ss.SSS");
        set("org.slf4j.simpleLogger.showThreadName", "false");
        set("org.slf4j.simpleLogger.showShortLogName", "true");
        set("org.slf4j.simpleLogger.log.com.zaxxer.hikari", "error");
        set("org.slf4j.simpleLogger.log.ch.vorburger", "warn");
    }

    public static void quiet() {
        set("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    }

    private static void set(String key, String value) {
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }
}
