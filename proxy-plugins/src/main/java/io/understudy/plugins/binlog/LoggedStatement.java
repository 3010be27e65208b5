package io.understudy.plugins.binlog;

/**
 * A statement that the binary log has as text: of a schema change always, of other writes only with statement-based logging.
 *
 * @param schema the default schema that it ran in; empty for none
 * @param text as far as it was shown to the parser
 * @param whole the text is all of it
 */
public record LoggedStatement(String schema, String text, boolean whole) {}
