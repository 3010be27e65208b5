package io.understudy.base;

import java.util.Locale;

/** Text for a log or a terminal: a name from outside must not forge a line or steer the terminal. */
public final class Printable {
    private Printable() {}

    /** Returns the text with its lines joined and its control characters shown as {@code \\u001b}. */
    public static String of(String text) {
        if (text.chars().noneMatch(Printable::isControl)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                out.append(i + 1 == text.length() ? "" : " | ");
            } else if (c == '\t') {
                out.append(' ');
            } else if (isControl(c)) {
                out.append(c == '\r' ? "" : String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean isControl(int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
    }
}
