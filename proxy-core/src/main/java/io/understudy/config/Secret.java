package io.understudy.config;

import io.understudy.config.bind.Sensitive;
import org.jspecify.annotations.Nullable;

/** A password or token. Shows itself as {@code ***} everywhere but in {@link #reveal()}. */
public final class Secret implements Sensitive {

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /** Takes any text. */
    public static Secret parse(String value) {
        return new Secret(value);
    }

    /** The text itself, for the one place that needs it. */
    public String reveal() {
        return value;
    }

    /** Equal by text, so that a changed secret is noticed in a reload. */
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
