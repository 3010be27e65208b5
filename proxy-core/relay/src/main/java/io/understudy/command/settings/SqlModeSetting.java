package io.understudy.command.settings;

import io.understudy.sql.SqlModes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A session's {@code sql_mode} as an expression that any connection of the same product can evaluate: a literal, or
 * what drivers send at login, {@code concat(@@sql_mode, ',STRICT_TRANS_TABLES')}. A reference to the session's own mode
 * is replaced by that mode, finally by {@code @@global.sql_mode}, and that by its value once it is known. Immutable.
 *
 * @param expression the value for SET; null for the server's default
 * @param portable the same without a mode that affects no reads and that other versions do not know
 * @param ownModes bits of {@link SqlModes} that follow from it without the part taken from the server
 * @param adopted the server's mode if the expression is null or refers to it; else null
 */
public record SqlModeSetting(
        @Nullable String expression,
        @Nullable String portable,
        int ownModes,
        @Nullable AdoptedMode adopted) {
    private static final int LIMIT = 512;
    private static final String GLOBAL_MODE = "@@global.sql_mode";
    private static final Pattern OWN =
            Pattern.compile("@@(?:(?:session|local)\\s*\\.\\s*)?sql_mode(?!\\w)", Pattern.CASE_INSENSITIVE);
    private static final Pattern GLOBAL =
            Pattern.compile("@@global\\s*\\.\\s*sql_mode(?!\\w)", Pattern.CASE_INSENSITIVE);
    /**
     * Only string functions without side effects, the variable and literals: the expression is evaluated again on other
     * servers.
     */
    private static final Pattern HARMLESS = Pattern.compile(
            "(?:\\s++|concat_ws|concat|replace|trim|@@(?:global\\s*+\\.\\s*+)?sql_mode(?!\\w)|'[A-Za-z0-9_, ]*+'"
                    + "|\"[A-Za-z0-9_, ]*+\"|[(),])++",
            Pattern.CASE_INSENSITIVE);
    /** Modes that affect the lexer; whether an expression adds or removes them is not evaluated. */
    private static final Pattern DECISIVE =
            Pattern.compile("ANSI|QUOTES|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL", Pattern.CASE_INSENSITIVE);

    private static final Pattern LITERAL = Pattern.compile("'([^']*)'|\"([^\"]*)\"");
    private static final Pattern REPLACE = Pattern.compile("(?<!\\w)replace(?!\\w)", Pattern.CASE_INSENSITIVE);
    /** Does not affect reads, and versions without it would reject the whole list. */
    private static final Pattern OBSOLETE =
            Pattern.compile("NO_AUTO_CREATE_USER\\s*,|(,\\s*)?NO_AUTO_CREATE_USER", Pattern.CASE_INSENSITIVE);

    private static SqlModeSetting of(String expression, int ownModes, @Nullable AdoptedMode adopted) {
        String portable = OBSOLETE.matcher(expression).replaceAll("");
        return new SqlModeSetting(expression, portable, ownModes, adopted);
    }

    /** Returns the server's default. */
    static SqlModeSetting serverDefault(AdoptedMode adopted) {
        return new SqlModeSetting(null, null, 0, adopted);
    }

    /** Returns the mode after {@code SET sql_mode = 'value'}. */
    public static SqlModeSetting literal(String value) {
        return of(quoted(value), SqlModes.withSqlMode(0, value), null);
    }

    /**
     * Returns the mode after {@code SET sql_mode = expression}, or null when the expression is not understood.
     *
     * @param now the server's mode at the time of that SET
     */
    @Nullable
    SqlModeSetting assigned(String text, AdoptedMode now) {
        boolean own = OWN.matcher(text).find();
        boolean global = GLOBAL.matcher(text).find();
        String before = expression == null ? GLOBAL_MODE : expression;
        String next =
                OWN.matcher(GLOBAL.matcher(text).replaceAll(GLOBAL_MODE)).replaceAll(Matcher.quoteReplacement(before));
        if (next.length() > LIMIT
                || !HARMLESS.matcher(next).matches()
                || DECISIVE.matcher(literals(text)).find()) {
            return null;
        }
        AdoptedMode base = own ? adopted : null;
        AdoptedMode all = !global ? base : base == null ? now : base.and(now);
        int modes = (own ? ownModes : 0) | (REPLACE.matcher(text).find() ? SqlModes.QUOTES_UNKNOWN : 0);
        return of(next, modes, all);
    }

    /** Returns all literals concatenated: a mode's name may be composed of several. */
    private static String literals(String text) {
        StringBuilder all = new StringBuilder();
        Matcher literal = LITERAL.matcher(text);
        while (literal.find()) {
            all.append(literal.group(1) == null ? literal.group(2) : literal.group(1));
        }
        return all.toString();
    }

    /** Returns the mode without reference to the server's, if that is known by now; else this. */
    public SqlModeSetting settled() {
        String value = adopted == null ? null : adopted.value();
        if (value == null) {
            return this;
        }
        SqlModeSetting known = literal(value);
        String text = expression;
        String literal = known.expression;
        return text == null || literal == null
                ? known
                : of(text.replace(GLOBAL_MODE, literal), ownModes | known.ownModes, null);
    }

    /**
     * Returns bits of {@link SqlModes}, including {@link SqlModes#QUOTES_UNKNOWN} while they depend on an unknown mode
     * of the server.
     */
    int lexerModes() {
        return adopted == null ? ownModes : ownModes | SqlModes.QUOTES_UNKNOWN;
    }

    /**
     * Returns the bits of {@link SqlModes} when this mode replaces an unknown one: those of the character set and of
     * the server's status for backslashes remain.
     */
    public int on(int modes) {
        int kept = modes & ~(SqlModes.ANSI_QUOTES | SqlModes.IGNORE_SPACE | SqlModes.QUOTES_UNKNOWN);
        return kept | lexerModes() & ~SqlModes.NO_BACKSLASH_ESCAPES;
    }

    static String quoted(String value) {
        return '\'' + value.replace("\\", "\\\\").replace("'", "''") + '\'';
    }
}
