package io.understudy.command;

import io.understudy.sql.SqlModes;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A session's {@code sql_mode} as an expression that any connection of the same product can evaluate: a literal, or what
 * drivers send at login, {@code concat(@@sql_mode, ',STRICT_TRANS_TABLES')}. A reference to the session's own mode is
 * replaced by what that was, in the end by {@code @@global.sql_mode}. Immutable.
 *
 * @param expression ready for SET; null for the server's default
 * @param lexerModes bits of {@link SqlModes} that follow from it; {@link SqlModes#QUOTES_UNKNOWN} while they rest on a default
 */
record SqlModeSetting(@Nullable String expression, int lexerModes) {
    /** The server's default, which nobody has told. */
    static final SqlModeSetting DEFAULT = new SqlModeSetting(null, SqlModes.QUOTES_UNKNOWN);

    private static final int LIMIT = 512;
    private static final Pattern OWN =
            Pattern.compile("@@(?:(?:session|local)\\s*\\.\\s*)?sql_mode\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern GLOBAL = Pattern.compile("@@global\\s*\\.", Pattern.CASE_INSENSITIVE);
    /** Nothing but string functions without effects, the variable and literals: it is run again elsewhere. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(?:\\s+|concat|concat_ws|replace|trim|@@(?:global\\s*\\.\\s*)?sql_mode\\b|'[A-Za-z0-9_, ]*'|\"[A-Za-z0-9_, ]*\"|[(),])+",
            Pattern.CASE_INSENSITIVE);
    /** Modes that change what the lexer sees; whether an expression adds or removes them is not worked out. */
    private static final Pattern DECISIVE =
            Pattern.compile("ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL", Pattern.CASE_INSENSITIVE);

    /** After {@code SET sql_mode = 'value'}. */
    static SqlModeSetting literal(String value) {
        return new SqlModeSetting(quoted(value), SqlModes.withSqlMode(0, value));
    }

    /** After {@code SET sql_mode = expression}; null when it cannot be followed. */
    @Nullable
    SqlModeSetting assigned(String text) {
        String before = expression == null ? "@@global.sql_mode" : expression;
        String next = OWN.matcher(text).replaceAll(java.util.regex.Matcher.quoteReplacement(before));
        boolean understood = next.length() <= LIMIT
                && HARMLESS.matcher(next).matches()
                && !DECISIVE.matcher(text.toUpperCase(Locale.ROOT)).find();
        int modes = GLOBAL.matcher(text).find() ? lexerModes | SqlModes.QUOTES_UNKNOWN : lexerModes;
        return understood ? new SqlModeSetting(next, modes) : null;
    }

    static String quoted(String value) {
        return '\'' + value.replace("\\", "\\\\").replace("'", "''") + '\'';
    }
}
