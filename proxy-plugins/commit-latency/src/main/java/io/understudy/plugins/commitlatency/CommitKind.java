package io.understudy.plugins.commitlatency;

/** Ways in which a transaction becomes durable. */
enum CommitKind {
    /** {@code COMMIT} in any form, or a statement that ends an open transaction without changing the schema. */
    COMMIT("commit"),
    /** A statement that is its own transaction. */
    AUTOCOMMIT("autocommit"),
    /** A statement that changes the schema, with the open transaction that it may have committed first. */
    DDL("ddl");

    private final String label;

    CommitKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
