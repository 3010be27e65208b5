package io.understudy.command;

import io.understudy.sql.SqlModes;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A session's {@code sql_mode} as an expression that any connection of the same product can evaluate: a literal, or what
 * drivers send at login, {@code concat(@@sql_mode, ',STRICT_TRANS_TABLES')}. A reference to the session's own mode is
 * replaced by what that was, in the end by {@code @@global.sql_mode}, and that by its value once it is known. Immutable.
 *
 * @param expression ready for SET; null for the server's default
 * @param ownModes bits of {@link SqlModes} that follow from it without what it takes from the server
 * @param adopted the server's own mode where the expression is null or refers to it; else null
 */
record SqlModeSetting(
        @Nullable String expression, int ownModes, @Nullable AdoptedMode adopted) {
    private static final int LIMIT = 512;
    private static final String GLOBAL_MODE = "@@global.sql_mode";
    private static final Pattern OWN =
            Pattern.compile("@@(?:(?:session|local)\\s*\\.\\s*)?sql_mode\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern GLOBAL = Pattern.compile("@@global\\s*\\.\\s*sql_mode\\b", Pattern.CASE_INSENSITIVE);
    /** Nothing but string functions without effects, the variable and literals: it is run again elsewhere. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(?:\\s+|concat|concat_ws|replace|trim|@@(?:global\\s*\\.\\s*)?sql_mode\\b|'[A-Za-z0-9_, ]*'|\"[A-Za-z0-9_, ]*\"|[(),])+",
            Pattern.CASE_INSENSITIVE);
    /** Modes that change what the lexer sees; whether an expression adds or removes them is not worked out. */
    private static final Pattern DECISIVE =
            Pattern.compile("ANSI|QUOTES|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL", Pattern.CASE_INSENSITIVE);

    private static final Pattern LITERAL = Pattern.compile("'([^']*)'|\"([^\"]*)\"");
    private static final Pattern REPLACE = Pattern.compile("\\breplace\\b", Pattern.CASE_INSENSITIVE);
    /** Says nothing of reads, and versions that do not know it any more would refuse all of the list. */
    private static final String OBSOLETE = "NO_AUTO_CREATE_USER";

    /** The server's default. */
    static SqlModeSetting serverDefault(AdoptedMode adopted) {
        return new SqlModeSetting(null, 0, adopted);
    }

    /** After {@code SET sql_mode = 'value'}. */
    static SqlModeSetting literal(String value) {
        String kept = value.toUpperCase(Locale.ROOT).contains(OBSOLETE)
                ? Arrays.stream(value.split(","))
                        .filter(name -> !name.trim().equalsIgnoreCase(OBSOLETE))
                        .collect(Collectors.joining(","))
                : value;
        return new SqlModeSetting(quoted(kept), SqlModes.withSqlMode(0, value), null);
    }

    /**
     * After {@code SET sql_mode = expression}; null when it cannot be followed.
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
        return new SqlModeSetting(next, modes, all);
    }

    /** All literals in one: a mode's name may be put together from several. */
    private static String literals(String text) {
        StringBuilder all = new StringBuilder();
        Matcher literal = LITERAL.matcher(text);
        while (literal.find()) {
            all.append(literal.group(1) == null ? literal.group(2) : literal.group(1));
        }
        return all.toString();
    }

    /** The same without reference to the server's own mode when that is known by now; else this. */
    SqlModeSetting settled() {
        String value = adopted == null ? null : adopted.value();
        if (value == null) {
            return this;
        }
        SqlModeSetting known = literal(value);
        String text = expression;
        String literal = known.expression;
        return text == null || literal == null
                ? known
                : new SqlModeSetting(text.replace(GLOBAL_MODE, literal), ownModes | known.ownModes, null);
    }

    /** Bits of {@link SqlModes}; with {@link SqlModes#QUOTES_UNKNOWN} while they rest on what the server has not told. */
    int lexerModes() {
        return adopted == null ? ownModes : ownModes | SqlModes.QUOTES_UNKNOWN;
    }

    /**
     * Bits of {@link SqlModes} as they are when this mode replaces one that was not known: the character set's stay, and what the
     * server's status says of backslashes.
     */
    int on(int modes) {
        int kept = modes & ~(SqlModes.ANSI_QUOTES | SqlModes.IGNORE_SPACE | SqlModes.QUOTES_UNKNOWN);
        return kept | lexerModes() & ~SqlModes.NO_BACKSLASH_ESCAPES;
    }

    static String quoted(String value) {
        return '\'' + value.replace("\\", "\\\\").replace("'", "''") + '\'';
    }
}
