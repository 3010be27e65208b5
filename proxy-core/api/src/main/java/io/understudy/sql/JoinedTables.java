package io.understudy.sql;

/** The tables joined by an UPDATE or DELETE, kept until the whole statement has shown which of them it writes. */
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

    /** Adds a table; returns false if there is no room. */
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

    /** Sets the name at {@code n} as the alias of table {@code k}, if it has none yet. */
    void alias(int k, int n) {
        if (alias[k] < 0) {
            alias[k] = n;
        }
    }

    /** Returns whether table {@code k} is a common table expression. */
    boolean isExpression(int k) {
        return schema[k] < 0 && common.isDefined(name[k]);
    }
}
