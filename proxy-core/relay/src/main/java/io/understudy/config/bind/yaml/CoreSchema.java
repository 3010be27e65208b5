package io.understudy.config.bind.yaml;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** YAML's core schema: an unquoted word that looks like a number or a boolean is one. */
public final class CoreSchema {
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]{1,19}");
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");

    private CoreSchema() {}

    /** Returns whether an unquoted word is an integer. */
    public static boolean isInteger(String word) {
        return INTEGER.matcher(word).matches();
    }

    /** Returns whether an unquoted word is a number, integers included. */
    public static boolean isNumber(String word) {
        return NUMBER.matcher(word).matches();
    }

    /** Returns the value as a string, number or boolean; null for an empty value. */
    static @Nullable Object toJava(YamlNode.Scalar scalar) {
        String text = scalar.value();
        if (scalar.isNull()) {
            return null;
        }
        if (!scalar.plain()) {
            return text;
        }
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        if (isInteger(text)) {
            try {
                return Long.valueOf(text);
            } catch (NumberFormatException e) {
                return text;
            }
        }
        return isNumber(text) ? (Object) Double.valueOf(text) : text;
    }
}
