package io.understudy.base;

import org.jspecify.annotations.Nullable;

/** A password or token. {@link #toString} returns {@code ***}; only {@link #reveal()} returns the text. */
public final class Secret implements Sensitive {

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /** Wraps any text. */
    public static Secret parse(String value) {
        return new Secret(value);
    }

    /** Returns the text, for the one place that needs it. */
    public String reveal() {
        return value;
    }

    /** Compares the text, so that a reload notices a changed secret. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && secret.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
