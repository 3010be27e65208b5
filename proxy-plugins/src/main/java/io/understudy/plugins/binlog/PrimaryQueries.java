package io.understudy.plugins.binlog;

import java.sql.SQLException;

/** What the dump connection needs to know beforehand. May wait; never called on an event loop. */
@FunctionalInterface
public interface PrimaryQueries {
    PrimaryFacts facts() throws SQLException;
}
