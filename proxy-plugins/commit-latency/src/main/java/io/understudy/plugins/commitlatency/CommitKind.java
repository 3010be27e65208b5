package io.understudy.plugins.commitlatency;

import java.util.Locale;

/** Ways in which a transaction becomes durable. */
enum CommitKind {
    /** {@code COMMIT} in any form, or a statement that ends an open transaction without changing the schema. */
    COMMIT,
    /** A statement that is its own transaction. */
    AUTOCOMMIT,
    /** A statement that changes the schema, with the open transaction that it may have committed first. */
    DDL;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
