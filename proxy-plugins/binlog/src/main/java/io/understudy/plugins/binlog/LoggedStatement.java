package io.understudy.plugins.binlog;

import org.jspecify.annotations.Nullable;

/**
 * A statement that the binary log holds as text: every schema change, other writes only with statement-based logging.
 *
 * @param schema the default schema that it ran in; empty for none
 * @param text as far as the parser was given it
 * @param whole whether the text is complete; false with an empty text for one that was not read at all
 * @param next the one behind it in the same transaction, or null
 */
public record LoggedStatement(
        String schema, String text, boolean whole, @Nullable LoggedStatement next) {
    /** One that was not read: compressed, a LOAD DATA, or behind too many others. */
    static final LoggedStatement UNREAD = new LoggedStatement("", "", false);

    /** The last one of a transaction. */
    public LoggedStatement(String schema, String text, boolean whole) {
        this(schema, text, whole, null);
    }

    LoggedStatement before(@Nullable LoggedStatement following) {
        return following == null ? this : new LoggedStatement(schema, text, whole, following);
    }
}
