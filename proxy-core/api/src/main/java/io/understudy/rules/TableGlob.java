package io.understudy.rules;

import io.understudy.sql.TableName;
import org.jspecify.annotations.Nullable;

/**
 * A glob for tables: {@code orders} in any schema, {@code shop.orders}, {@code shop.*}, {@code !shop.log_*}. Not
 * case-sensitive, because statements of one digest may differ in case.
 */
public final class TableGlob extends Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "shop.orders";

    private final @Nullable String schema;
    private final String table;

    private TableGlob(String text, @Nullable String schema, String table) {
        super(text);
        this.schema = schema;
        this.table = table;
    }

    /**
     * Parses a table; the text before the first dot is the schema.
     *
     * @throws IllegalArgumentException when either part is empty
     */
    public static TableGlob parse(String text) {
        String name = plain(text);
        int dot = name.indexOf('.');
        if (name.isEmpty() || dot == 0 || dot == name.length() - 1) {
            throw new IllegalArgumentException(
                    "expected a table such as orders or " + EXAMPLE + " but found '" + text + "'");
        }
        return new TableGlob(text, dot < 0 ? null : name.substring(0, dot), name.substring(dot + 1));
    }

    /**
     * Returns whether the glob covers the table, ignoring the negation; {@code defaultSchema} is the schema of an
     * unqualified name.
     */
    boolean covers(TableName name, @Nullable String defaultSchema) {
        if (!Glob.matches(table, name.table(), true)) {
            return false;
        }
        if (schema == null) {
            return true;
        }
        String where = name.schema() == null ? defaultSchema : name.schema();
        return where != null && Glob.matches(schema, where, true);
    }
}
