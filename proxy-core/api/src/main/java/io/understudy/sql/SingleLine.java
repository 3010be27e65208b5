package io.understudy.sql;

import java.util.Locale;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes a statement as one line, for formats in which a line break ends or forges something: comments are dropped, a
 * line break becomes a blank, or an escape inside a literal. The meaning stays the same for a session with the default
 * {@code sql_mode}: names in double quotes get backticks. Not thread-safe; may be reused.
 */
public final class SingleLine {

    /** The reason why a statement cannot be written. */
    public enum Refusal {
        /** Only blanks and comments. */
        EMPTY,
        /** Text whose bytes cannot be told apart in its character set. */
        CHARSET,
        /** A literal that needs an escape in a session without escapes. */
        NO_ESCAPES,
        /** A line break inside a name. */
        NAME,
        /** A parameter whose value is not known. */
        PARAMETER,
        /** Damaged text, so that literals, or the statement's end, cannot be told for certain. */
        UNPARSED;

        /** Returns the name for labels of metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Lexer lexer = new Lexer();
    private byte[] out = new byte[1024];
    private int length;
    private int parameter;

    /** Returns the literals to write in place of a statement's parameters. */
    @FunctionalInterface
    public interface Parameters {
        /** Returns the literal of the next parameter, without control characters, or null when it is not known. */
        byte @Nullable [] literal(int index);
    }

    /**
     * Writes the statement. The line is then in {@link #bytes()}, up to {@link #length()}.
     *
     * @param modes the session's {@link SqlModes}
     * @param hash replaces the value of each literal by a keyed hash, or null to keep them
     * @param parameters takes the place of {@code ?}, or null to keep those
     * @return null, or why it cannot be written
     */
    public @Nullable Refusal write(
            byte[] text,
            int off,
            int len,
            int modes,
            @Nullable LongUnaryOperator hash,
            @Nullable Parameters parameters) {
        length = 0;
        parameter = 0;
        if ((modes & SqlModes.UNSAFE_CHARSET) != 0 && !SqlAnalyzer.isAscii(text, off, len)) {
            return Refusal.CHARSET;
        }
        boolean escapes = (modes & SqlModes.NO_BACKSLASH_ESCAPES) == 0;
        lexer.reset(text, off, len, modes);
        int end = 0;
        try {
            for (int type = lexer.next(); type != Lexer.END; type = lexer.next()) {
                if (lexer.gap && length > 0) {
                    put(' ');
                }
                Refusal refusal = token(type, text, escapes, hash, parameters);
                if (refusal != null) {
                    return refusal;
                }
                if (type != ';') {
                    end = length;
                }
            }
            // With values kept, too: a quote that nobody closes would take in the next statements of the log.
            int bad = hash == null ? Lexer.UNTERMINATED : Lexer.UNTERMINATED | Lexer.BAD_TEXT;
            if ((lexer.flags & bad) != 0) {
                return Refusal.UNPARSED;
            }
        } finally {
            lexer.release();
        }
        length = end;
        return end == 0 ? Refusal.EMPTY : null;
    }

    private @Nullable Refusal token(
            int type, byte[] text, boolean escapes, @Nullable LongUnaryOperator hash, @Nullable Parameters parameters) {
        int start = lexer.start;
        int end = lexer.end;
        switch (type) {
            case Lexer.STRING:
                if (hash != null) {
                    hashed(text, start, end, hash, true);
                    return null;
                }
                return literal(text, start, end, escapes);
            case Lexer.NUMBER:
                if (text[start] == '\\') {
                    put("NULL");
                } else if (hash != null) {
                    hashed(text, start, end, hash, false);
                } else {
                    put(text, start, end);
                }
                return null;
            case Lexer.PARAM:
                byte[] value = parameters == null ? null : parameters.literal(parameter++);
                if (parameters != null && value == null) {
                    return Refusal.PARAMETER;
                }
                if (value == null) {
                    put('?');
                } else if (hash != null && value[0] != 'N') { // NULL tells no value
                    hashed(value, 0, value.length, hash, value[value.length - 1] == '\'');
                } else {
                    put(value, 0, value.length);
                }
                return null;
            case Lexer.QUOTED:
            case Lexer.USER_VARIABLE:
                return name(text, start, end);
            case Lexer.HINT:
            case Lexer.EXECUTABLE_OPEN:
                for (int p = start; p < end; p++) {
                    put(isControl(text[p]) ? ' ' : text[p]);
                }
                return null;
            default:
                for (int p = start; p < end; p++) {
                    // A control character by itself is an error to the server too.
                    put(isControl(text[p]) ? '?' : text[p]);
                }
                return null;
        }
    }

    private @Nullable Refusal literal(byte[] text, int start, int end, boolean escapes) {
        for (int p = start; p < end; p++) {
            int c = text[p];
            boolean escaped = c == '\\' && escapes && p + 1 < end;
            if (!escapes && (c == '\\' || c == '\n' || c == '\r' || c == 0)) {
                return Refusal.NO_ESCAPES;
            }
            if (escaped) {
                c = text[++p];
            }
            int letter = c == '\n' ? 'n' : c == '\r' ? 'r' : c == 0 ? '0' : 0;
            if (letter != 0) {
                put('\\');
                put(letter);
            } else {
                if (escaped) {
                    put('\\');
                }
                put(c);
            }
        }
        return null;
    }

    private @Nullable Refusal name(byte[] text, int start, int end) {
        for (int p = start; p < end; p++) {
            if (isControl(text[p])) {
                return Refusal.NAME;
            }
        }
        if (text[start] != '"') {
            put(text, start, end);
            return null;
        }
        boolean closed = end - start > 1 && text[end - 1] == '"';
        put('`');
        for (int p = start + 1; p < (closed ? end - 1 : end); p++) {
            if (text[p] == '"') {
                p++; // doubled
                put('"');
            } else if (text[p] == '`') {
                put("``");
            } else {
                put(text[p]);
            }
        }
        if (closed) {
            put('`');
        }
        return null;
    }

    private void hashed(byte[] text, int start, int end, LongUnaryOperator hash, boolean string) {
        long value = FNV_OFFSET;
        for (int p = start; p < end; p++) {
            value = (value ^ text[p] & 0xFF) * FNV_PRIME;
        }
        long keyed = hash.applyAsLong(value);
        if (string) {
            put("'h");
            put(Long.toHexString(keyed | Long.MIN_VALUE));
            put('\'');
        } else {
            put(Long.toString(keyed & Integer.MAX_VALUE));
        }
    }

    private static boolean isControl(int c) {
        return c >= 0 && c < ' ' || c == 127;
    }

    private void put(byte[] text, int start, int end) {
        for (int p = start; p < end; p++) {
            put(text[p]);
        }
    }

    private void put(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    private void put(int c) {
        if (length == out.length) {
            out = java.util.Arrays.copyOf(out, length * 2);
        }
        out[length++] = (byte) c;
    }

    /** Returns the array that holds the line last written; the next call overwrites it. */
    public byte[] bytes() {
        return out;
    }

    /** Returns the length of the line last written. */
    public int length() {
        return length;
    }
}
