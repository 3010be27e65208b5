package io.understudy.plugins.capture;

import io.understudy.base.RecentlyUsed;
import io.understudy.base.Sensitive;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The secret that files are encrypted with. {@link #toString} returns {@code ***}. */
public final class CaptureSecret implements Sensitive {
    /** Characters that one has at least. */
    public static final int LEAST = 16;

    private static final int KEYS = 16;

    private final String value;
    private final Map<String, SecretKeySpec> keys = new RecentlyUsed<>(KEYS);

    private CaptureSecret(String value) {
        this.value = value;
    }

    /** Wraps any text. */
    public static CaptureSecret parse(String value) {
        return new CaptureSecret(value.strip());
    }

    /** Returns whether it is too short for files that others may get. */
    public boolean isShort() {
        return value.length() < LEAST;
    }

    /** Returns the key of a file. Those asked for last are kept: to derive one takes a tenth of a second. */
    SecretKeySpec key(byte[] salt) {
        synchronized (keys) {
            return keys.computeIfAbsent(HexFormat.of().formatHex(salt), from -> FileCipher.derive(value, salt));
        }
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
