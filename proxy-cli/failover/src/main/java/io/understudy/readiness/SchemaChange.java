package io.understudy.readiness;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * A schema change that a server executes.
 *
 * @param connection id of its connection
 * @param applied whether replication executes it
 * @param seconds how long its connection has been in that state
 * @param text the begin of the statement
 */
record SchemaChange(long connection, boolean applied, long seconds, String text) {
    private static final int SHOWN = 60;
    private static final Pattern STATEMENT = Pattern.compile(
            "(?:\\s|/\\*(?!!).*?\\*/)*+" // white space and comments
                    + "(SET\\s+STATEMENT\\s.*\\sFOR\\s+)?(ALTER|(CREATE|DROP)(\\s+\\w+){0,3}\\s+INDEX)(?!\\w).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Returns whether a row of SHOW PROCESSLIST, by lower-case names, is one. */
    static boolean is(Map<String, String> process) {
        return STATEMENT.matcher(process.getOrDefault("info", "")).matches();
    }

    static SchemaChange of(Map<String, String> process, boolean applied) {
        String text = process.getOrDefault("info", "").strip().replaceAll("\\s+", " ");
        return new SchemaChange(
                Long.parseLong(process.getOrDefault("id", "0")),
                applied,
                (long) Double.parseDouble(process.getOrDefault("time", "0")),
                text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…");
    }
}
