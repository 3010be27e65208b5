package io.understudy.rules;

import io.understudy.sql.TableName;
import org.jspecify.annotations.Nullable;

/**
 * A table with globs: {@code orders} in whatever schema, {@code shop.orders}, {@code shop.*}, {@code !shop.log_*}. Case
 * does not count, since statements of one digest may differ in it.
 */
public final class TableGlob implements Term {

    /** An example of the syntax. */
    public static final String EXAMPLE = "shop.orders";

    private final String text;
    private final boolean negated;
    private final @Nullable Glob schema;
    private final Glob table;

    private TableGlob(String text, boolean negated, @Nullable Glob schema, Glob table) {
        this.text = text;
        this.negated = negated;
        this.schema = schema;
        this.table = table;
    }

    /**
     * Reads a table, the schema being what stands before the first dot.
     *
     * @throws IllegalArgumentException when either part is empty
     */
    public static TableGlob parse(String text) {
        boolean negated = text.startsWith("!");
        String name = negated ? text.substring(1) : text;
        int dot = name.indexOf('.');
        if (name.isEmpty() || dot == 0 || dot == name.length() - 1) {
            throw new IllegalArgumentException(
                    "expected a table such as orders or " + EXAMPLE + " but found '" + text + "'");
        }
        return new TableGlob(
                text,
                negated,
                dot < 0 ? null : new Glob(name.substring(0, dot), true),
                new Glob(name.substring(dot + 1), true));
    }

    @Override
    public boolean negated() {
        return negated;
    }

    /** Whether the glob covers the table, whatever the sign; {@code defaultSchema} is where an unqualified name lives. */
    boolean covers(TableName name, @Nullable String defaultSchema) {
        if (!table.matches(name.table())) {
            return false;
        }
        if (schema == null) {
            return true;
        }
        String where = name.schema() == null ? defaultSchema : name.schema();
        return where != null && schema.matches(where);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TableGlob that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
