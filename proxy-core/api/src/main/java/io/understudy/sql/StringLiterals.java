package io.understudy.sql;

/** The value of a quoted string. */
final class StringLiterals {

    private StringLiterals() {}

    /** Removes the quotes, and resolves doubled quotes and, if {@code backslash} is set, escape sequences. */
    static String unquote(String raw, boolean backslash) {
        char quote = raw.charAt(0);
        StringBuilder out = new StringBuilder(raw.length());
        int last = raw.length() - 1;
        for (int i = 1; i < last; i++) {
            char c = raw.charAt(i);
            if (c == quote) {
                i++;
            } else if (c == '\\' && backslash && i + 1 < last) {
                c = escaped(raw.charAt(++i));
            }
            out.append(c);
        }
        return out.toString();
    }

    private static char escaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case '0' -> '\0';
            case 'b' -> '\b';
            case 'Z' -> '\u001A';
            default -> c;
        };
    }
}
