package io.understudy.sql;

import java.util.Locale;

/** Checks every token of a statement for what disqualifies a pure read or ties the statement to its session. */
final class ReadRules {

    /** Column types that may be followed by a length in parentheses. */
    private static final WordTable<Boolean> SIZED_TYPES = WordTable.of(
            "BIGINT BINARY BIT BLOB CHAR CHARACTER DATETIME DEC DECIMAL DOUBLE FIXED FLOAT INT INTEGER MEDIUMINT"
                    + " NCHAR NUMERIC NVARCHAR REAL SMALLINT TEXT TIME TIMESTAMP TINYINT VARBINARY VARCHAR"
                    + " VECTOR YEAR");

    private final Tokens t;
    private Draft draft = new Draft();
    private int modes;
    /** The end of the COLUMNS clause of the last JSON_TABLE. */
    private int columnsEnd;

    private int firstEnd;
    /**
     * Whether a name before a parenthesis may be a function call; false in a schema change outside the query that it
     * executes.
     */
    private boolean calls;

    ReadRules(Tokens tokens) {
        t = tokens;
    }

    /**
     * Applies the rules for every statement: variables, diagnostics, sequences, called functions; and for reads those
     * that disqualify them.
     *
     * @param firstEnd where the first of several statements ends
     */
    void apply(Draft draft, int from, int firstEnd, boolean read, boolean show, int modes) {
        this.draft = draft;
        this.modes = modes;
        this.firstEnd = firstEnd;
        columnsEnd = -1;
        calls = true;
        for (int i = from; i < t.count(); i++) {
            int type = t.type(i);
            if (type < 128) {
                if (read && isForeign(type)) {
                    draft.notPure(NotPure.UNPARSED);
                }
                continue;
            }
            switch (type) {
                case Lexer.USER_VARIABLE -> userVariable(i, read);
                case Lexer.SYSTEM_VARIABLE -> systemVariable(i);
                case Lexer.ASSIGN -> draft.notPure(NotPure.USER_VARIABLE);
                case Lexer.QUOTED -> name(i, read);
                case Lexer.WORD -> {
                    Keyword keyword = t.keyword(i);
                    if (keyword != null) {
                        calls = calls(i, keyword, from);
                        keyword(i, keyword, read, show);
                    }
                    name(i, read);
                }
                default -> {}
            }
        }
    }

    private boolean calls(int i, Keyword keyword, int from) {
        boolean first = i == from || t.type(i - 1) == ';' || t.is(i - 1, Keyword.FOR);
        if (first) {
            return switch (keyword) {
                case CREATE, ALTER, DROP, RENAME, TRUNCATE, GRANT, REVOKE -> false;
                default -> true;
            };
        }
        return calls || keyword == Keyword.SELECT;
    }

    private static boolean isForeign(int punctuation) {
        return switch (punctuation) {
            case '[', ']', ':', '\\', 127 -> true;
            default -> false;
        };
    }

    private void userVariable(int i, boolean read) {
        int before = t.type(i - 1);
        boolean account = !read
                && !t.gapBefore(i)
                && (before == Lexer.STRING
                        || before == Lexer.QUOTED
                        || before == Lexer.WORD && t.keyword(i - 1) == null);
        if (!account) {
            draft.userVariables = true;
            draft.sessionDependent = true;
        }
    }

    private void systemVariable(int i) {
        // @@name, or @@session.name with the name two tokens on.
        String name = t.raw(i).substring(2).replace("`", "");
        if (t.type(i + 1) == '.' && t.isName(i + 2)) {
            if (name.equalsIgnoreCase("global")) {
                return;
            }
            name = t.name(i + 2);
        }
        switch (name.toLowerCase(Locale.ROOT)) {
            case "warning_count", "error_count" -> diagnostics();
            // Neither a SET nor a CALL that inserts nothing changes the last insert id.
            case "last_insert_id",
                    "identity",
                    "pseudo_thread_id",
                    "insert_id",
                    "last_gtid",
                    "gtid_next",
                    "in_transaction",
                    "rand_seed1",
                    "rand_seed2",
                    "proxy_user",
                    "external_user",
                    "timestamp" -> draft.sessionDependent = true;
            default -> {}
        }
    }

    private void keyword(int i, Keyword keyword, boolean read, boolean show) {
        switch (keyword) {
            case CURRENT_USER, CURRENT_ROLE -> draft.sessionDependent = true;
            case NEXT, PREVIOUS -> {
                if (t.is(i + 1, Keyword.VALUE) && t.is(i + 2, Keyword.FOR)) {
                    sequence(i + 3, keyword == Keyword.NEXT);
                }
            }
            default -> {
                if (read) {
                    disqualify(i, keyword, show);
                }
            }
        }
    }

    private void disqualify(int i, Keyword keyword, boolean show) {
        switch (keyword) {
            case INTO -> draft.notPure(NotPure.INTO);
            case FOR -> {
                if (t.isAny(i + 1, Keyword.UPDATE, Keyword.SHARE)) {
                    draft.notPure(NotPure.LOCKING_READ);
                }
            }
            case LOCK -> {
                if (t.is(i + 1, Keyword.IN)) {
                    draft.notPure(NotPure.LOCKING_READ);
                }
            }
            case PROCEDURE -> {
                if (!show) {
                    draft.notPure(NotPure.PROCEDURE);
                }
            }
            case SQL_CALC_FOUND_ROWS -> draft.notPure(NotPure.SESSION_STATE);
            case UPDATE, DELETE, CALL, LOAD, GRANT, REVOKE, CREATE, ALTER, DROP -> {
                if (!show) {
                    draft.notPure(NotPure.WRITES);
                }
            }
            case INSERT, REPLACE -> {
                if (!show && t.type(i + 1) != '(') {
                    draft.notPure(NotPure.WRITES);
                }
            }
            default -> {}
        }
    }

    private void name(int i, boolean read) {
        if (t.type(i - 1) == '.' && (t.isWord(i, "NEXTVAL") || t.isWord(i, "CURRVAL"))) {
            int n = i - 2;
            if (t.isName(n)) {
                boolean qualified = t.type(n - 1) == '.' && t.isName(n - 2);
                touched(new TableName(qualified ? t.name(n - 2) : null, t.name(n)), t.isWord(i, "NEXTVAL"));
            }
            draft.notPure(NotPure.SEQUENCE);
            return;
        }
        if (t.type(i + 1) == '(' && !t.isNotCall(i)) {
            call(i, read);
        }
    }

    private void call(int i, boolean read) {
        if (t.type(i - 1) == '.' && i > 1) {
            if (calls || read) {
                draft.calls(t.name(i - 2) + "." + t.name(i), NotPure.STORED_FUNCTION);
            }
            return;
        }
        if (t.type(i) == Lexer.QUOTED) {
            if (calls || read) {
                draft.calls(t.name(i), NotPure.STORED_FUNCTION);
            }
            return;
        }
        if (opensSomethingElse(i)) {
            return;
        }
        Functions function = Functions.find(t.text(), t.start(i), t.end(i));
        if (function == null || function.needsProduct() && !isOfThisProduct(i)) {
            if (calls || read) {
                draft.calls(t.name(i), NotPure.UNKNOWN_FUNCTION);
            }
            return;
        }
        switch (function) {
            case PURE -> {}
            case PURE_TOUCHING -> touching(i, read);
            case GEOMETRY -> {
                if ((calls || read) && (modes & SqlModes.MARIADB) != 0 && t.type(i + 2) == ')') {
                    draft.calls(t.name(i), NotPure.UNKNOWN_FUNCTION);
                }
            }
            case SESSION -> draft.sessionDependent = true;
            case SESSION_TOUCHING -> {
                draft.sessionDependent = true;
                touching(i, read);
            }
            case DIAGNOSTICS -> {
                draft.sessionDependent = true;
                // Every statement sets ROW_COUNT: after the first statement it is the value of a statement of the same
                // text.
                draft.readsDiagnostics |= i < firstEnd || !t.isWord(i, "ROW_COUNT");
            }
            case LAST_INSERT_ID -> {
                draft.sessionDependent = true;
                if (t.type(i + 2) != ')') {
                    draft.notPure(NotPure.SESSION_STATE);
                }
            }
            case SEQUENCE -> sequence(i + 2, !t.isWord(i, "LASTVAL"));
            case EFFECT -> draft.notPure(NotPure.SIDE_EFFECT_FUNCTION);
        }
    }

    /**
     * Returns whether the server's product has the built-in function at {@code i}; a function of the other product only
     * is a stored one.
     */
    private boolean isOfThisProduct(int i) {
        int product = Functions.productOf(t.text(), t.start(i), t.end(i));
        if (product == 0) {
            return true;
        }
        draft.oneProduct = true;
        int server = modes & (SqlModes.MARIADB | SqlModes.MYSQL);
        return server == 0 || server == product;
    }

    private void touching(int i, boolean read) {
        if ((calls || read) && t.gapBefore(i + 1) && (modes & SqlModes.IGNORE_SPACE) == 0) {
            draft.calls(t.name(i), NotPure.UNKNOWN_FUNCTION);
        }
    }

    private void diagnostics() {
        draft.readsDiagnostics = true;
        draft.sessionDependent = true;
    }

    private void sequence(int n, boolean moves) {
        if (t.isName(n)) {
            boolean qualified = t.type(n + 1) == '.' && t.isName(n + 2);
            touched(new TableName(qualified ? t.name(n) : null, t.name(qualified ? n + 2 : n)), moves);
        }
        draft.notPure(NotPure.SEQUENCE);
    }

    /** Adds a sequence. Advancing it is a write, which the binary log records as one. */
    private void touched(TableName sequence, boolean moves) {
        draft.reads(sequence);
        if (moves) {
            draft.writes(sequence);
        }
    }

    /** Returns whether the word before a parenthesis is no call: an operator, a clause, the type of a cast. */
    private boolean opensSomethingElse(int i) {
        Keyword keyword = t.keyword(i);
        if (keyword != null) {
            if (keyword.beforeParenthesis()) {
                return true;
            }
            boolean query = t.type(i + 2) == '('
                    || t.isAny(i + 2, Keyword.SELECT, Keyword.WITH, Keyword.VALUES)
                    || t.is(i + 2, Keyword.TABLE);
            switch (keyword) {
                case AGAINST, OVER -> {
                    return t.type(i - 1) == ')';
                }
                case ANY, SOME -> {
                    int before = t.type(i - 1);
                    return query && (before == '=' || before == '<' || before == '>');
                }
                case LATERAL, EXCEPT, INTERSECT, MINUS -> {
                    return query;
                }
                case COLUMNS -> {
                    if (t.type(i - 1) != Lexer.STRING) {
                        return false;
                    }
                    columnsEnd = Math.max(columnsEnd, t.afterParenthesis(i + 1));
                    return true;
                }
                case OF -> {
                    return t.is(i - 1, Keyword.MEMBER);
                }
                default -> {}
            }
        }
        return isType(i);
    }

    /** {@code CAST(x AS DECIMAL(10,2))}, and the column types of JSON_TABLE. */
    private boolean isType(int i) {
        if (SIZED_TYPES.find(t.text(), t.start(i), t.end(i)) == null || !Tokens.isLiteral(t.type(i + 2))) {
            return false;
        }
        // The type of a cast follows AS, the type of a column follows the column's name; no call can stand there.
        return t.is(i - 1, Keyword.AS) || i < columnsEnd && t.isName(i - 1);
    }
}
