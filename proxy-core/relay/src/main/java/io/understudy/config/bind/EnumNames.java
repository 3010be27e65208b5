package io.understudy.config.bind;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Spelling of an enum's constants in a document: lower case, {@code -} for {@code _}, unless toString differs. */
final class EnumNames {

    private EnumNames() {}

    /** Returns the spelling to show. */
    static String canonical(Enum<?> constant) {
        String text = constant.toString();
        return text.equals(constant.name()) ? text.toLowerCase(Locale.ROOT).replace('_', '-') : text;
    }

    static List<String> all(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(c -> canonical((Enum<?>) c))
                .toList();
    }

    /**
     * Returns the constant for a spelling, ignoring case and the difference between {@code -} and {@code _}; null for
     * none.
     */
    static @Nullable Object find(Class<?> type, String text) {
        String folded = fold(text);
        for (Object constant : type.getEnumConstants()) {
            if (fold(canonical((Enum<?>) constant)).equals(folded)) {
                return constant;
            }
        }
        return null;
    }

    private static String fold(String text) {
        return text.toLowerCase(Locale.ROOT).replace('-', '_');
    }
}
