package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a plain INSERT or REPLACE gives as values. An id in its response that is none of them was generated.
 * Plain is one whose values are literals, parameters, {@code NOW()} and {@code LAST_INSERT_ID()}, and that has nothing
 * behind them.
 */
public final class InsertedValues {
    /** A filter of numbers, whose false hits only make an id less certain. */
    private static final int WORDS = 16;

    private static final int SHIFT = Long.SIZE - 10;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    private static final int MOST_DIGITS = 18;
    private static final long LEAST_TIME = 10_000_000_000_000L;
    private static final long MOST_TIME = 99_999_999_999_999L;
    /** The largest number of the smallest type. */
    private static final int LEAST_LIMIT = 127;

    /** An id that it gives is what it returns afterwards, too. */
    private static final String LAST = "LAST_INSERT_ID";

    private final long[] numbers;
    private boolean time;
    private int parameters;

    private InsertedValues(long[] numbers) {
        this.numbers = numbers;
    }

    /** Returns null for what is no plain one, or not known to be. */
    static @Nullable InsertedValues parse(Lexer lexer, byte[] text, int off, int len, int modes) {
        lexer.reset(text, off, len, modes);
        InsertedValues values = new InsertedValues(new long[WORDS]);
        int bad = Lexer.UNTERMINATED | Lexer.BAD_TEXT | Lexer.EXECUTABLE | Lexer.EXECUTABLE_BY_SOME;
        boolean plain = values.read(lexer) && (lexer.flags & bad) == 0;
        lexer.release();
        return plain ? values : null;
    }

    private boolean read(Lexer lexer) {
        int depth = 0;
        while (true) {
            switch (lexer.next()) {
                case '(' -> depth++;
                case ')' -> depth--;
                case ',', '.', Lexer.QUOTED -> {
                    // Of the table's or a column's name.
                }
                case Lexer.WORD -> {
                    Keyword word = Keyword.find(lexer.text(), lexer.start, lexer.end, lexer.folded);
                    if (word == Keyword.SELECT || word == Keyword.WITH || word == Keyword.TABLE) {
                        return false;
                    }
                    if (word == Keyword.SET) {
                        return assignments(lexer);
                    }
                    if (depth == 0 && (word == Keyword.VALUES || word == Keyword.VALUE)) {
                        return rows(lexer);
                    }
                }
                default -> {
                    return false;
                }
            }
        }
    }

    private boolean rows(Lexer lexer) {
        while (true) {
            if (lexer.next() != '(') {
                return false;
            }
            int behind = lexer.next();
            while (behind != ')') {
                behind = value(lexer, behind);
                if (behind == ',') {
                    behind = lexer.next();
                } else if (behind != ')') {
                    return false;
                }
            }
            behind = lexer.next();
            if (behind != ',') {
                return ends(lexer, behind);
            }
        }
    }

    private boolean assignments(Lexer lexer) {
        while (true) {
            int type = lexer.next();
            while (type == Lexer.WORD || type == Lexer.QUOTED || type == '.') {
                type = lexer.next();
            }
            int behind = type == '=' ? value(lexer, lexer.next()) : Lexer.STRING;
            if (behind != ',') {
                return ends(lexer, behind);
            }
        }
    }

    private static boolean ends(Lexer lexer, int token) {
        return token == Lexer.END || token == ';' && lexer.next() == Lexer.END;
    }

    /** Takes a value, which begins with a token of {@code type}. Returns the token behind it; STRING if it is none. */
    private int value(Lexer lexer, int type) {
        boolean negative = type == '-';
        int first = negative || type == '+' ? lexer.next() : type;
        boolean taken = switch (first) {
            case Lexer.STRING -> string(lexer);
            case Lexer.NUMBER -> number(lexer.text(), lexer.start, lexer.end, negative, true);
            case Lexer.PARAM -> parameters++ >= 0;
            case Lexer.WORD -> first == type && takes(word(lexer));
            default -> false;
        };
        if (!taken || first == Lexer.STRING && first != type) {
            return Lexer.STRING;
        }
        String function = first == Lexer.WORD ? word(lexer) : "";
        int behind = lexer.next();
        if (!isFunction(function) || behind != '(') {
            return behind;
        }
        behind = lexer.next();
        behind = behind == Lexer.NUMBER && !function.equals(LAST) ? lexer.next() : behind; // NOW(6)
        return behind == ')' ? lexer.next() : Lexer.STRING;
    }

    private boolean string(Lexer lexer) {
        int quote = lexer.text()[lexer.start];
        return (quote == '\'' || quote == '"') && addText(lexer.text(), lexer.start + 1, lexer.end - 1);
    }

    private boolean takes(String word) {
        time |= isFunction(word) && !word.equals(LAST);
        if (word.equals("TRUE")) {
            add(1);
        }
        return switch (word) {
            case "NULL", "DEFAULT", "TRUE", "FALSE" -> true;
            default -> isFunction(word);
        };
    }

    private static boolean isFunction(String word) {
        return switch (word) {
            case LAST, "NOW", "CURRENT_TIMESTAMP", "UTC_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP" -> true;
            default -> false;
        };
    }

    private static String word(Lexer lexer) {
        return new String(lexer.text(), lexer.start, lexer.end - lexer.start, StandardCharsets.ISO_8859_1)
                .toUpperCase(Locale.ROOT);
    }

    /**
     * Adds what a server takes a string for where a number is due: its beginning.
     *
     * @return false if that is not certain
     */
    public boolean addText(byte[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] >= 0 && text[at] <= ' ') {
            at++;
        }
        boolean negative = at < to && text[at] == '-';
        at += at < to && (negative || text[at] == '+') ? 1 : 0;
        return number(text, at, to, negative, false);
    }

    /** @param whole whether nothing may follow the number */
    private boolean number(byte[] text, int from, int to, boolean negative, boolean whole) {
        int at = from;
        long value = 0;
        while (at < to && Characters.isDigit(text[at] & 0xFF)) {
            value = value * 10 + text[at++] - '0';
            if (at - from > MOST_DIGITS) {
                return false;
            }
        }
        if (at < to && text[at] == '.') {
            at++;
            while (at < to && Characters.isDigit(text[at] & 0xFF)) {
                at++;
            }
            add(negative ? -value - 1 : value + 1); // is rounded
        }
        add(negative ? -value : value);
        if (at == to) {
            return true;
        }
        int next = text[at];
        boolean exponent = (next | 0x20) == 'e' && at + 1 < to && !isLetter(text[at + 1]);
        return !whole && next != '\\' && !exponent;
    }

    private static boolean isLetter(int c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    /** Adds a number that is a value. */
    public void add(long number) {
        int bit = (int) (number * SPREAD >>> SHIFT);
        numbers[bit >>> 6] |= 1L << bit;
    }

    /** Returns the same values, to which those of parameters can be added. */
    public InsertedValues copy() {
        InsertedValues copy = new InsertedValues(Arrays.copyOf(numbers, WORDS));
        copy.time = time;
        copy.parameters = parameters;
        return copy;
    }

    /** Returns the number of values that are parameters. */
    public int parameters() {
        return parameters;
    }

    /**
     * Returns whether the statement may have given that id itself: it is a value, or what a type makes of a larger one.
     */
    public boolean mayGive(long id) {
        int bit = (int) (id * SPREAD >>> SHIFT);
        return (numbers[bit >>> 6] & 1L << bit) != 0
                || time && id >= LEAST_TIME && id <= MOST_TIME
                || id < 0
                || id >= LEAST_LIMIT && Long.bitCount(id + 1) == 1;
    }
}
