package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the read that finds the rows of an UPDATE, a DELETE or a locking read.
 *
 * <p>An allow-list of three shapes, each on one table without an alias for the first two: {@code UPDATE t SET … WHERE
 * c} and {@code DELETE FROM t WHERE c} become {@code SELECT * FROM t WHERE c}, which reads whole rows as they do;
 * {@code SELECT columns FROM t WHERE c FOR UPDATE} loses its lock. The condition has columns, literals and operators
 * alone. For any other statement there is none. The bytes of table and condition are those of the statement.
 *
 * <p>Not thread-safe.
 */
final class LookupWriter {
    private static final byte[] SELECT = "SELECT * FROM ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] WHERE = " WHERE ".getBytes(StandardCharsets.US_ASCII);

    /** Words that are calls without parentheses, and so no columns: their value differs by time or session. */
    private static final Set<String> CALLS = Set.of(("CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME"
                    + " LOCALTIMESTAMP UTC_DATE UTC_TIME UTC_TIMESTAMP SYSDATE ROWNUM CURRENT_USER CURRENT_ROLE"
                    + " SESSION_USER SYSTEM_USER SQLCODE SQLERRM")
            .split(" "));

    private final Tokens t = new Tokens();

    /** Returns the text of the read, or null if there is none for certain. */
    byte @Nullable [] write(Lexer lexer, byte[] text, int off, int len, int modes) {
        if (hasHint(text, off, len)) {
            return null;
        }
        t.load(lexer, text, off, len, modes);
        try {
            int bad = Lexer.EXECUTABLE | Lexer.UNTERMINATED | Lexer.BAD_TEXT | Lexer.HINT_SETS;
            Keyword first = t.keyword(0);
            if ((t.flags & bad) != 0 || first == null) {
                return null;
            }
            return switch (first) {
                case UPDATE -> update();
                case DELETE -> t.is(1, Keyword.FROM) ? filtered(2, afterTable(2)) : null;
                case SELECT -> withoutLock();
                default -> null;
            };
        } finally {
            t.release();
        }
    }

    /** An optimizer hint is no token: without it the read could take another index. */
    private static boolean hasHint(byte[] text, int off, int len) {
        for (int p = off; p < off + len - 2; p++) {
            if (text[p] == '/' && text[p + 1] == '*' && text[p + 2] == '+') {
                return true;
            }
        }
        return false;
    }

    private byte @Nullable [] update() {
        int set = afterTable(1);
        if (set < 0 || !t.is(set, Keyword.SET)) {
            return null;
        }
        int depth = 0;
        for (int i = set + 1; i < t.count(); i++) {
            int type = t.type(i);
            depth += type == '(' ? 1 : type == ')' ? -1 : 0;
            if (depth < 0 || type == ';' || type == Lexer.PARAM || t.is(i, Keyword.SELECT)) {
                return null;
            }
            if (depth == 0 && t.is(i, Keyword.WHERE)) {
                return read(1, set, i);
            }
        }
        return null;
    }

    /** Returns the read if the table at {@code table} ends at {@code where}, and WHERE follows. */
    private byte @Nullable [] filtered(int table, int where) {
        return where > 0 && t.is(where, Keyword.WHERE) ? read(table, where, where) : null;
    }

    private byte @Nullable [] read(int table, int afterTable, int where) {
        int end = end();
        if (!isFilter(where + 1, end)) {
            return null;
        }
        int name = t.start(table);
        int nameLength = t.end(afterTable - 1) - name;
        int filter = t.start(where + 1);
        int filterLength = t.end(end - 1) - filter;
        byte[] read = new byte[SELECT.length + nameLength + WHERE.length + filterLength];
        System.arraycopy(SELECT, 0, read, 0, SELECT.length);
        System.arraycopy(t.text(), name, read, SELECT.length, nameLength);
        System.arraycopy(WHERE, 0, read, SELECT.length + nameLength, WHERE.length);
        System.arraycopy(t.text(), filter, read, read.length - filterLength, filterLength);
        return read;
    }

    private byte @Nullable [] withoutLock() {
        int from = 1;
        while (from < t.count() && !t.is(from, Keyword.FROM)) {
            if (!isColumnList(from)) {
                return null;
            }
            from++;
        }
        int where = afterTable(from + 1);
        if (from == 1 || where < 0) {
            return null;
        }
        if (t.is(where, Keyword.AS)) {
            where++;
        }
        if (isColumn(where)) {
            where++; // the table's alias
        }
        int lock = where + 1;
        while (lock < t.count() && !t.isAny(lock, Keyword.FOR, Keyword.LOCK)) {
            lock++;
        }
        if (!t.is(where, Keyword.WHERE) || afterLock(lock) != end() || !isFilter(where + 1, lock)) {
            return null;
        }
        int start = t.start(0);
        byte[] read = new byte[t.end(lock - 1) - start];
        System.arraycopy(t.text(), start, read, 0, read.length);
        return read;
    }

    /** Returns the index after a locking clause that leaves no row out, or -1. SKIP LOCKED leaves some out. */
    private int afterLock(int lock) {
        int n = lock;
        if (t.is(n, Keyword.FOR) && t.isAny(n + 1, Keyword.UPDATE, Keyword.SHARE)) {
            n += 2;
        } else if (t.is(n, Keyword.LOCK)
                && t.is(n + 1, Keyword.IN)
                && t.is(n + 2, Keyword.SHARE)
                && t.isWord(n + 3, "MODE")) {
            n += 4;
        } else {
            return -1;
        }
        if (t.isWord(n, "NOWAIT")) {
            n++;
        } else if (t.is(n, Keyword.WAIT) && t.type(n + 1) == Lexer.NUMBER) {
            n += 2;
        }
        return n;
    }

    /** Returns the end of the tokens, without semicolons behind the statement. */
    private int end() {
        int end = t.count();
        while (end > 0 && t.type(end - 1) == ';') {
            end--;
        }
        return end;
    }

    /** Returns the index after {@code t} or {@code s.t} at {@code i}, or -1. */
    private int afterTable(int i) {
        if (!isColumn(i)) {
            return -1;
        }
        if (t.type(i + 1) != '.') {
            return i + 1;
        }
        return t.isName(i + 2) ? i + 3 : -1;
    }

    private boolean isColumnList(int i) {
        int type = t.type(i);
        return type == ',' || type == '*' || type == '.' || isLiteral(i) || isColumn(i) || t.is(i, Keyword.AS);
    }

    private boolean isFilter(int from, int to) {
        int depth = 0;
        for (int i = from; i < to; i++) {
            int type = t.type(i);
            if (type == '(') {
                if (t.isName(i - 1) && !isOperator(i - 1)) {
                    return false; // a call
                }
                depth++;
            } else if (type == ')') {
                depth--;
            } else if (!isPunctuation(type) && !isLiteral(i) && !isOperator(i) && !isColumn(i)) {
                return false;
            }
            if (depth < 0) {
                return false;
            }
        }
        return depth == 0 && from < to;
    }

    private static boolean isPunctuation(int type) {
        return switch (type) {
            case ',', '=', '<', '>', '!', '+', '-', '*', '/', '%', '.' -> true;
            default -> false;
        };
    }

    private boolean isOperator(int i) {
        Keyword keyword = t.keyword(i);
        return keyword != null
                && switch (keyword) {
                    case AND, OR, XOR, NOT, IN, IS, NULL, TRUE, FALSE, BETWEEN, LIKE, WHERE -> true;
                    default -> false;
                };
    }

    private boolean isLiteral(int i) {
        return t.type(i) == Lexer.STRING || t.type(i) == Lexer.NUMBER;
    }

    /** Returns whether a name is at {@code i} that no server takes for an operator, a call or the type of a literal. */
    private boolean isColumn(int i) {
        if (t.type(i) == Lexer.QUOTED) {
            return true;
        }
        return t.type(i) == Lexer.WORD
                && t.keyword(i) == null
                && t.type(i + 1) != Lexer.STRING
                && !CALLS.contains(t.raw(i).toUpperCase(Locale.ROOT));
    }
}
