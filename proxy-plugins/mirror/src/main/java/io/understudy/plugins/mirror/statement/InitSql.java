package io.understudy.plugins.mirror.statement;

import org.jspecify.annotations.Nullable;

/** A statement of {@code initSql}. It may hold a secret, so {@link #toString} returns {@code ***}. */
public final class InitSql {
    private final String text;

    private InitSql(String text) {
        this.text = text;
    }

    /** Wraps any text. */
    public static InitSql parse(String text) {
        return new InitSql(text);
    }

    public String text() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof InitSql sql && sql.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
