package io.understudy.sql;

/**
 * The tables that an UPDATE or DELETE joins, kept until it is known which of them it writes.
 *
 * <p>Apart from the walk because of their time: a query's tables are read as soon as they are met, these only settle
 * when the whole statement has been seen.
 */
final class JoinedTables {

    private static final int MAX_REFERENCES = 64;

    private final CommonTables common;

    /** Token indices of schema (or -1), name and alias (or -1). */
    private final int[] schema = new int[MAX_REFERENCES];

    private final int[] name = new int[MAX_REFERENCES];
    private final int[] alias = new int[MAX_REFERENCES];
    private int count;

    JoinedTables(CommonTables common) {
        this.common = common;
    }

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    /** Keeps a table; returns whether there was room for it. */
    boolean add(int qualifier, int n) {
        if (count == MAX_REFERENCES) {
            return false;
        }
        schema[count] = qualifier;
        name[count] = n;
        alias[count] = -1;
        count++;
        return true;
    }

    int schema(int k) {
        return schema[k];
    }

    int name(int k) {
        return name[k];
    }

    int alias(int k) {
        return alias[k];
    }

    /** Takes the name at {@code n} for the alias of table {@code k}, if it has none yet. */
    void alias(int k, int n) {
        if (alias[k] < 0) {
            alias[k] = n;
        }
    }

    /** Whether table {@code k} is a common table expression. */
    boolean isExpression(int k) {
        return schema[k] < 0 && common.isDefined(name[k]);
    }
}
