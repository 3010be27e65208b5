package io.understudy.cli.check;

import io.understudy.plugin.CheckedServer.Level;

/**
 * One finding.
 *
 * @param where the key of the configuration that it concerns
 * @param text the fact, and the remedy
 */
public record CheckResult(Level level, String where, String text) {
    static CheckResult ok(String where, String text) {
        return new CheckResult(Level.OK, where, text);
    }

    static CheckResult warning(String where, String text) {
        return new CheckResult(Level.WARNING, where, text);
    }

    static CheckResult error(String where, String text) {
        return new CheckResult(Level.ERROR, where, text);
    }

    public String line() {
        String mark = switch (level) {
            case OK -> "ok      ";
            case WARNING -> "warning ";
            case ERROR -> "error   ";
        };
        return mark + where + ": " + text;
    }
}
