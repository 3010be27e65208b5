package io.understudy.rules;

import io.understudy.sql.TableName;
import org.jspecify.annotations.Nullable;

/**
 * A glob for tables: {@code orders} in any schema, {@code shop.orders}, {@code shop.*}, {@code !shop.log_*}. Not
 * case-sensitive, because statements of one digest may differ in case.
 */
public final class TableGlob implements Term {

    /** An example of the syntax, for schemas. */
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
     * Parses a table; the text before the first dot is the schema.
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

    /**
     * Returns whether the glob covers the table, ignoring the negation; {@code defaultSchema} is the schema of an
     * unqualified name.
     */
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
