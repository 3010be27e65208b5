package io.understudy.cli.check;

/**
 * One finding.
 *
 * @param where the key of the configuration that it concerns
 * @param text the fact, and the remedy
 */
public record Finding(Level level, String where, String text) {
    /** The severity. */
    public enum Level {
        OK,
        WARNING,
        ERROR
    }

    static Finding ok(String where, String text) {
        return new Finding(Level.OK, where, text);
    }

    static Finding warning(String where, String text) {
        return new Finding(Level.WARNING, where, text);
    }

    static Finding error(String where, String text) {
        return new Finding(Level.ERROR, where, text);
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
