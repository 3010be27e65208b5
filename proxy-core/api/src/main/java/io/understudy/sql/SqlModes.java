package io.understudy.sql;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bits of a session's {@code sql_mode} and client character set that change how its text is tokenised.
 *
 * <p>Callers keep one {@code int} per session and pass it to every method of {@link SqlAnalyzer}.
 */
public final class SqlModes {

    /** A server with its default {@code sql_mode} and a UTF-8 client. */
    public static final int NONE = 0;

    /** {@code "} quotes an identifier instead of a string. */
    public static final int ANSI_QUOTES = 1;

    /** A backslash in a string stands for itself. */
    public static final int NO_BACKSLASH_ESCAPES = 1 << 1;

    /**
     * Multi-byte character set whose trail bytes include ASCII (0x5C, 0x60): text with a byte from 0x80 cannot be
     * tokenised without decoding and is never a pure read.
     */
    public static final int UNSAFE_CHARSET = 1 << 2;

    /**
     * Character set other than UTF-8: a byte from 0x80 may be a blank to the server (0xA0 in latin1), so outside quotes
     * it makes the text unparsed.
     */
    public static final int EIGHT_BIT_CHARSET = 1 << 3;

    /** A blank may stand between the name of a built-in function and its parenthesis. */
    public static final int IGNORE_SPACE = 1 << 4;

    /**
     * {@link #ANSI_QUOTES} is a guess: the server has not reported it and its default is unknown. A text with a
     * {@code "} is then a pure read only if it is one in both cases.
     */
    public static final int QUOTES_UNKNOWN = 1 << 5;

    /**
     * The server is MariaDB: functions that only MySQL has built in are stored functions there. Without this bit and
     * {@link #MYSQL} the functions of both products count as built in.
     */
    public static final int MARIADB = 1 << 6;

    /** The server is MySQL. See {@link #MARIADB}. */
    public static final int MYSQL = 1 << 7;

    private static final int SQL_MODE_BITS = ANSI_QUOTES | NO_BACKSLASH_ESCAPES | IGNORE_SPACE;
    private static final int CHARSET_BITS = UNSAFE_CHARSET | EIGHT_BIT_CHARSET;

    private static final Set<String> UTF8 = Set.of("utf8", "utf8mb3", "utf8mb4");
    /** The other character sets of which every byte below 0x80 is ASCII. */
    private static final Set<String> EIGHT_BIT = Set.of(
            ("ascii armscii8 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 dec8 eucjpms gb2312 geostd8 greek"
                            + " hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman tis620 ujis")
                    .split(" "));

    private SqlModes() {}

    /** Replaces the bits that {@code sql_mode} decides; combination modes are expanded. */
    public static int withSqlMode(int modes, @Nullable String sqlMode) {
        int bits = 0;
        if (sqlMode != null) {
            for (String name : sqlMode.toUpperCase(Locale.ROOT).split(",")) {
                bits |= switch (name.trim()) {
                    case "ANSI_QUOTES" -> ANSI_QUOTES;
                    case "NO_BACKSLASH_ESCAPES" -> NO_BACKSLASH_ESCAPES;
                    case "IGNORE_SPACE" -> IGNORE_SPACE;
                    case "ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL" -> ANSI_QUOTES | IGNORE_SPACE;
                    default -> 0;
                };
            }
        }
        return (modes & ~SQL_MODE_BITS) | bits;
    }

    /**
     * Replaces the bits that the client character set decides; {@code null} or {@code ""} means UTF-8, an unknown name
     * the worst case.
     */
    public static int withCharset(int modes, @Nullable String charset) {
        return (modes & ~CHARSET_BITS) | charsetBits(charset);
    }

    /** Returns whether the client sends UTF-8, so that names can be read. */
    public static boolean isUtf8(int modes) {
        return (modes & CHARSET_BITS) == 0;
    }

    /** Replaces the bit of the protocol's {@code SERVER_STATUS_NO_BACKSLASH_ESCAPES} status flag. */
    public static int withNoBackslashEscapes(int modes, boolean on) {
        return on ? modes | NO_BACKSLASH_ESCAPES : modes & ~NO_BACKSLASH_ESCAPES;
    }

    private static int charsetBits(@Nullable String charset) {
        if (charset == null || charset.isBlank()) {
            return 0;
        }
        String name = charset.trim().toLowerCase(Locale.ROOT);
        int underscore = name.indexOf('_');
        String base = underscore < 0 ? name : name.substring(0, underscore);
        if (UTF8.contains(base)) {
            return 0;
        }
        return EIGHT_BIT.contains(base) ? EIGHT_BIT_CHARSET : UNSAFE_CHARSET | EIGHT_BIT_CHARSET;
    }
}
