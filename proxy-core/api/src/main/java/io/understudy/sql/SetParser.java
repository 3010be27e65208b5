package io.understudy.sql;

import io.understudy.sql.SetStatement.Assignment;
import io.understudy.sql.SetStatement.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses one SET statement. */
final class SetParser {

    private static final int MAX_LENGTH = 64 * 1024;

    private final Tokens t = new Tokens();
    private final List<Assignment> assignments = new ArrayList<>(2);
    private boolean backslash;
    /** Scope of the assignments that follow: the last scope word applies to all of them. */
    private Scope scope = Scope.SESSION;

    @Nullable
    SetStatement parse(byte[] text, int off, int len, int modes) {
        if (len > MAX_LENGTH || (modes & SqlModes.UNSAFE_CHARSET) != 0 && !SqlAnalyzer.isAscii(text, off, len)) {
            return null;
        }
        t.load(new Lexer(), text, off, len, modes);
        backslash = (modes & SqlModes.NO_BACKSLASH_ESCAPES) == 0;
        int bad = Lexer.UNTERMINATED | Lexer.BAD_TEXT | Lexer.EXECUTABLE_BY_SOME;
        int i = 0;
        while (t.type(i) == ';') {
            i++;
        }
        if ((t.flags & bad) != 0 || !t.is(i, Keyword.SET) || !isLast(i)) {
            return null;
        }
        return statement(i + 1) && !assignments.isEmpty() ? new SetStatement(assignments) : null;
    }

    private boolean isLast(int first) {
        int i = first;
        while (!t.isEnd(i)) {
            i++;
        }
        while (t.type(i) == ';') {
            i++;
        }
        return t.type(i) == Lexer.END;
    }

    private boolean statement(int i) {
        if (t.isEnd(i)) {
            return false;
        }
        if (t.is(i, Keyword.PASSWORD)) {
            return add(Scope.ACCOUNT, "password", null); // also with "=": no variable has that name
        }
        if (!isAssigned(i)) {
            if (t.is(i, Keyword.STATEMENT)) {
                scope = Scope.STATEMENT;
                return list(i + 1);
            }
            if (t.is(i, Keyword.DEFAULT) && t.is(i + 1, Keyword.ROLE)) {
                return add(Scope.ACCOUNT, "default_role", null);
            }
            if (t.is(i, Keyword.ROLE)) {
                return add(Scope.SESSION, "role", valueAt(i + 1, end(i + 1)));
            }
            if (t.isWord(i, "RESOURCE") && t.is(i + 1, Keyword.GROUP)) {
                return add(Scope.SESSION, "resource_group", valueAt(i + 2, end(i + 2)));
            }
            if (t.is(i, Keyword.TRANSACTION)) {
                return transaction(Scope.TRANSACTION, i + 1);
            }
            Scope written = scopeWord(i);
            if (written != null && t.is(i + 1, Keyword.TRANSACTION) && !isAssigned(i + 1)) {
                return transaction(written, i + 2);
            }
        }
        return list(i);
    }

    private boolean list(int first) {
        int i = first;
        while (true) {
            i = isNames(i) ? names(i) : assignment(i);
            if (i < 0) {
                return false;
            }
            if (t.type(i) != ',') {
                return t.isEnd(i) || scope == Scope.STATEMENT && t.is(i, Keyword.FOR);
            }
            i++;
        }
    }

    private boolean isNames(int i) {
        return !isAssigned(i) && (t.is(i, Keyword.NAMES) || charsetWords(i) > 0);
    }

    private int charsetWords(int i) {
        if (t.is(i, Keyword.CHARSET)) {
            return 1;
        }
        return (t.is(i, Keyword.CHARACTER) || t.isWord(i, "CHAR")) && t.is(i + 1, Keyword.SET) ? 2 : 0;
    }

    private int names(int i) {
        boolean names = t.is(i, Keyword.NAMES);
        int from = i + (names ? 1 : charsetWords(i));
        int to = end(from);
        String value = to > from ? valueAt(from, from + 1) : null;
        if (value != null && to > from + 1) {
            String collation =
                    names && to == from + 3 && t.is(from + 1, Keyword.COLLATE) ? valueAt(from + 2, to) : null;
            value = collation == null ? null : value + " COLLATE " + collation;
        }
        add(Scope.SESSION, names ? "names" : "character_set", value);
        return to;
    }

    /** Parses {@code [scope] name = value}; returns the index after it, or -1. */
    private int assignment(int first) {
        int i = first;
        Scope target;
        String name;
        if (t.type(i) == Lexer.USER_VARIABLE) {
            target = Scope.USER;
            name = unquoted(t.raw(i).substring(1));
            i++;
        } else if (t.type(i) == Lexer.SYSTEM_VARIABLE) {
            target = scope == Scope.STATEMENT ? scope : Scope.SESSION;
            name = unquoted(t.raw(i).substring(2));
            i++;
            if (t.type(i) == '.' && t.isName(i + 1)) {
                Scope written = scopeNamed(name);
                target = written == null ? target : written;
                name = written == null ? name + "." + t.name(i + 1) : t.name(i + 1);
                i += 2;
            }
        } else {
            Scope written = isAssigned(i) ? null : scopeWord(i);
            if (written != null) {
                scope = written;
                i++;
            }
            if (!t.isName(i)) {
                return -1;
            }
            target = scope;
            name = t.name(i++);
        }
        if (t.type(i) == '.' && t.isName(i + 1)) {
            name = name + "." + t.name(i + 1);
            i += 2;
        }
        if (t.type(i) != '=' && t.type(i) != Lexer.ASSIGN) {
            return -1;
        }
        int to = end(i + 1);
        if (to == i + 1) {
            return -1;
        }
        add(target, name, valueAt(i + 1, to), t.source(i + 1, to));
        return to;
    }

    private boolean transaction(Scope target, int first) {
        int i = first;
        while (!t.isEnd(i)) {
            if (t.isWord(i, "ISOLATION") && t.isWord(i + 1, "LEVEL")) {
                boolean two = t.is(i + 2, Keyword.READ) || t.isWord(i + 2, "REPEATABLE");
                String level = two ? t.name(i + 2) + "-" + t.name(i + 3) : t.name(i + 2);
                add(target, "transaction_isolation", level.toUpperCase(Locale.ROOT));
                i += two ? 4 : 3;
            } else if (t.is(i, Keyword.READ)) {
                add(target, "transaction_read_only", t.isWord(i + 1, "ONLY") ? "1" : "0");
                i += 2;
            } else if (t.type(i) == ',') {
                i++;
            } else {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the index of the token that ends the expression at {@code i}: a comma, the FOR of SET STATEMENT, or the
     * end.
     */
    private int end(int i) {
        int n = i;
        while (!t.isEnd(n) && t.type(n) != ',' && !(scope == Scope.STATEMENT && t.is(n, Keyword.FOR))) {
            n = t.type(n) == '(' ? t.afterParenthesis(n) : n + 1;
        }
        return n;
    }

    private @Nullable String valueAt(int from, int to) {
        int i = from;
        String sign = "";
        if (to == from + 2 && (t.type(i) == '-' || t.type(i) == '+') && t.type(i + 1) == Lexer.NUMBER) {
            sign = t.type(i) == '-' ? "-" : "";
            i++;
        }
        if (to != i + 1) {
            return null;
        }
        return switch (t.type(i)) {
            case Lexer.WORD, Lexer.QUOTED -> t.is(i, Keyword.DEFAULT) || t.is(i, Keyword.NULL) ? null : t.name(i);
            case Lexer.NUMBER -> sign + t.raw(i);
            case Lexer.STRING -> t.string(i, backslash);
            default -> null;
        };
    }

    private static String unquoted(String name) {
        return name.length() > 1 && (name.charAt(0) == '`' || name.charAt(0) == '\'' || name.charAt(0) == '"')
                ? name.substring(1, name.length() - 1)
                : name;
    }

    private @Nullable Scope scopeWord(int i) {
        return t.type(i) == Lexer.WORD ? scopeNamed(t.name(i)) : null;
    }

    private static @Nullable Scope scopeNamed(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "session", "local" -> Scope.SESSION;
            case "global" -> Scope.GLOBAL;
            case "persist" -> Scope.PERSIST;
            case "persist_only" -> Scope.PERSIST_ONLY;
            default -> null;
        };
    }

    private boolean isAssigned(int i) {
        return t.type(i + 1) == '=' || t.type(i + 1) == Lexer.ASSIGN;
    }

    private boolean add(Scope target, String name, @Nullable String value) {
        return add(target, name, value, "");
    }

    private boolean add(Scope target, String name, @Nullable String value, String expression) {
        assignments.add(new Assignment(target, name.toLowerCase(Locale.ROOT), value, expression));
        return true;
    }
}
