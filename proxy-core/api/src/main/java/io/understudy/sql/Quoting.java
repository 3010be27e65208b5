package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Writes names and values into statements so that they mean the same to MariaDB and MySQL under every {@code sql_mode}:
 * backticks quote with and without {@code ANSI_QUOTES}, and no backslash is written into quotes, as
 * {@code NO_BACKSLASH_ESCAPES} decides what it means there. Names of tables may hold backslashes and quotes.
 */
public final class Quoting {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private Quoting() {}

    /** Returns an identifier. */
    public static String name(String identifier) {
        return "`" + identifier.replace("`", "``") + "`";
    }

    /** Returns a table with its schema. */
    public static String name(String schema, String table) {
        return name(schema) + "." + name(table);
    }

    /** Returns a value for an expression: a string literal, or one of digits if the text holds a backslash. */
    public static String text(String value) {
        return value.indexOf('\\') < 0
                ? "'" + value.replace("'", "''") + "'"
                : "_utf8mb4 X'" + HEX.formatHex(value.getBytes(StandardCharsets.UTF_8)) + "'";
    }

    /** Returns the name of a user or host as a part of an account, where no expression may stand. */
    public static String account(String part) {
        return part.indexOf('\\') < 0 ? text(part) : name(part);
    }

    /**
     * Returns what a server has written, as in SHOW GRANTS, with its names in backticks also where the session has
     * {@code ANSI_QUOTES}.
     */
    public static String backticked(String written) {
        if (written.indexOf('"') < 0) {
            return written;
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < written.length(); i++) {
            char quote = written.charAt(i);
            int end = quote == '"' || quote == '`' || quote == '\'' ? written.indexOf(quote, i + 1) : -1;
            while (end >= 0 && end + 1 < written.length() && written.charAt(end + 1) == quote) {
                end = written.indexOf(quote, end + 2);
            }
            if (end < 0) {
                out.append(quote);
            } else {
                String quoted = written.substring(i, end + 1);
                out.append(quote == '"' ? name(quoted.substring(1, end - i).replace("\"\"", "\"")) : quoted);
                i = end;
            }
        }
        return out.toString();
    }

    /** Returns what a GRANT needs for all tables of a schema, whose name is a pattern there. */
    public static String schemaPattern(String schema) {
        return name(schema.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")) + ".*";
    }
}
