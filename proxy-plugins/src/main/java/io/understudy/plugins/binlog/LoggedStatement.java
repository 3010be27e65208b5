package io.understudy.plugins.binlog;

/**
 * A statement that the binary log holds as text: every schema change, other writes only with statement-based logging.
 *
 * @param schema the default schema that it ran in; empty for none
 * @param text as far as the parser was given it
 * @param whole whether the text is complete
 */
public record LoggedStatement(String schema, String text, boolean whole) {}
