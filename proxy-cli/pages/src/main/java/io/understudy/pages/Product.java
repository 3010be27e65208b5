package io.understudy.pages;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;

/** The two products, with the different names that they give to the same tables and columns. */
public enum Product {
    MARIADB("IS_OLD = 1", "information_schema.INNODB_SYS_TABLESPACES", "information_schema.INNODB_SYS_INDEXES") {
        @Override
        public String boundStatements(Duration most) {
            return "SET SESSION max_statement_time = " + most.toMillis() / 1000.0;
        }

        @Override
        public String paths() {
            return "SELECT SPACE, FILENAME FROM " + tablespaces();
        }
    },
    MYSQL("IS_OLD = 'YES'", "information_schema.INNODB_TABLESPACES", "information_schema.INNODB_INDEXES") {
        @Override
        public String boundStatements(Duration most) {
            return "SET SESSION max_execution_time = " + most.toMillis();
        }

        @Override
        public String paths() {
            return "SELECT CAST(SPACE AS UNSIGNED), PATH FROM information_schema.INNODB_DATAFILES";
        }
    };

    private final String isOld;
    private final String tablespaces;
    private final String indexes;

    Product(String isOld, String tablespaces, String indexes) {
        this.isOld = isOld;
        this.tablespaces = tablespaces;
        this.indexes = indexes;
    }

    /** Determines the server's product. */
    public static Product of(ServerQueries queries) throws SQLException {
        return queries.isMariaDb() ? MARIADB : MYSQL;
    }

    /** Returns a condition on {@code INNODB_BUFFER_PAGE}: the page is in the old sublist of the LRU list. */
    String isOld() {
        return isOld;
    }

    /** Returns the name of the view of tablespaces. */
    public String tablespaces() {
        return tablespaces;
    }

    /** Returns the name of the view of indexes. */
    String indexes() {
        return indexes;
    }

    /** Returns a query for the tablespace and the path of each file; a condition on {@code SPACE} may follow. */
    public abstract String paths();

    /** Returns a statement that limits the time of the session's later SELECT statements. */
    public abstract String boundStatements(Duration most);
}
