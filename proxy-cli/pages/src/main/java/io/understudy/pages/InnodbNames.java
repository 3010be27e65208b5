package io.understudy.pages;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;

/**
 * The different names that the products give to the same tables and columns.
 *
 * @param isOld a condition on {@code INNODB_BUFFER_PAGE}: the page is in the old sublist of the LRU list
 * @param tablespaces view of tablespaces
 * @param indexes view of indexes
 * @param paths a query for the tablespace and the path of each file; a condition on {@code SPACE} may follow
 */
public record InnodbNames(String isOld, String tablespaces, String indexes, String paths) {
    private static final String SCHEMA = "information_schema.";

    private static final InnodbNames ON_MARIADB = new InnodbNames(
            "IS_OLD = 1",
            SCHEMA + "INNODB_SYS_TABLESPACES",
            SCHEMA + "INNODB_SYS_INDEXES",
            "SELECT SPACE, FILENAME FROM " + SCHEMA + "INNODB_SYS_TABLESPACES");

    private static final InnodbNames ON_MYSQL = new InnodbNames(
            "IS_OLD = 'YES'",
            SCHEMA + "INNODB_TABLESPACES",
            SCHEMA + "INNODB_INDEXES",
            "SELECT CAST(SPACE AS UNSIGNED), PATH FROM " + SCHEMA + "INNODB_DATAFILES");

    public static InnodbNames of(ServerQueries server) throws SQLException {
        return server.isMariaDb() ? ON_MARIADB : ON_MYSQL;
    }
}
