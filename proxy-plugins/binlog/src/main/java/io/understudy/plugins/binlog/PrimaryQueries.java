package io.understudy.plugins.binlog;

import java.sql.SQLException;

/** Queries the primary's facts before a dump connection opens. May block; never called on an event loop. */
@FunctionalInterface
public interface PrimaryQueries {
    PrimaryFacts facts() throws SQLException;

    /** Returns whether the primary's monitor has found, and logged, that it does not respond. Never waits. */
    default boolean isUnreachable() {
        return false;
    }
}
