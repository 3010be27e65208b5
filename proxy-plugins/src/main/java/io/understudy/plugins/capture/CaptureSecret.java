package io.understudy.plugins.capture;

import org.jspecify.annotations.Nullable;

/** The secret that files are encrypted with. {@link #toString} returns {@code ***}. */
public final class CaptureSecret {
    private static final int LEAST = 16;
    private final String value;

    private CaptureSecret(String value) {
        this.value = value;
    }

    /**
     * Wraps a secret.
     *
     * @throws IllegalArgumentException if it is too short
     */
    public static CaptureSecret parse(String value) {
        if (value.strip().length() < LEAST) {
            throw new IllegalArgumentException("expected a secret of at least " + LEAST + " characters");
        }
        return new CaptureSecret(value.strip());
    }

    char[] characters() {
        return value.toCharArray();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CaptureSecret secret && secret.value.equals(value);
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
