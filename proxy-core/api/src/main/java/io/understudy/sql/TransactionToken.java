package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The name that a client gives its transaction: in a comment of its own at the begin or end of a statement's text,
 * <code>/* understudy:txn=NAME *&#47;</code>, or as the query attribute {@code understudy_txn}. At most
 * {@value #LONGEST} letters, digits and {@code ._:-}; anything else is no name.
 */
public final class TransactionToken {
    private static final byte[] KEY = "understudy:txn=".getBytes(StandardCharsets.US_ASCII);
    public static final int LONGEST = 64;

    private TransactionToken() {}

    /** Returns the name in the comments around a text. Costs two comparisons if there are none. */
    public static @Nullable String in(byte[] text, int from, int to) {
        String found = null;
        int start = skipBlanks(text, from, to);
        while (found == null && is(text, start, to, '/', '*')) {
            int end = start + 2;
            while (end < to && !is(text, end, to, '*', '/')) {
                end++;
            }
            found = comment(text, start + 2, Math.min(end, to));
            start = skipBlanks(text, end + 2, to);
        }
        int end = skipBlanksBack(text, from, to);
        while (found == null && end - 4 >= from && is(text, end - 2, end, '*', '/')) {
            int begin = end - 4;
            while (begin >= from && !is(text, begin, end, '/', '*')) {
                begin--;
            }
            found = begin < from ? null : comment(text, begin + 2, end - 2);
            end = skipBlanksBack(text, from, begin);
        }
        return found;
    }

    private static boolean is(byte[] text, int at, int to, char first, char second) {
        return at + 1 < to && text[at] == first && text[at + 1] == second;
    }

    private static int skipBlanks(byte[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] >= 0 && text[at] <= ' ') {
            at++;
        }
        return at;
    }

    private static int skipBlanksBack(byte[] text, int from, int to) {
        int at = to;
        while (at > from && (text[at - 1] >= 0 && text[at - 1] <= ' ' || text[at - 1] == ';')) {
            at--;
        }
        return at;
    }

    private static @Nullable String comment(byte[] text, int from, int to) {
        int start = skipBlanks(text, from, to);
        for (byte each : KEY) {
            if (start >= to || text[start++] != each) {
                return null;
            }
        }
        int end = to;
        while (end > start && text[end - 1] == ' ') {
            end--;
        }
        return name(text, start, end);
    }

    /** Returns the text if it may be a name, else null. */
    public static @Nullable String name(byte[] text, int from, int to) {
        if (to <= from || to - from > LONGEST) {
            return null;
        }
        for (int at = from; at < to; at++) {
            int b = text[at];
            boolean letter = (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
            if (!letter && (b < '0' || b > ':') && b != '.' && b != '_' && b != '-') {
                return null;
            }
        }
        return new String(text, from, to - from, StandardCharsets.US_ASCII);
    }
}
