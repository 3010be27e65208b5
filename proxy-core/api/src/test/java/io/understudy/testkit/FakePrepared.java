package io.understudy.testkit;

import io.understudy.plugin.PreparedStatement;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** A prepared statement with a schema and an analysis only. */
record FakePrepared(String schema, @Nullable StatementSummary summary) implements PreparedStatement {
    @Override
    public int id() {
        return 1;
    }

    @Override
    public StatementKind kind() {
        return summary == null ? StatementKind.UNKNOWN : summary.kind();
    }

    @Override
    public byte @Nullable [] text() {
        return null;
    }

    @Override
    public int parameters() {
        return 0;
    }

    @Override
    public byte @Nullable [] parameterTypes() {
        return null;
    }

    @Override
    public boolean longDataPending() {
        return false;
    }

    @Override
    public byte @Nullable [] longData() {
        return null;
    }

    @Override
    public boolean settingsKnown() {
        return true;
    }

    @Override
    public @Nullable String characterSet() {
        return null;
    }

    @Override
    public @Nullable String sqlMode() {
        return null;
    }
}
