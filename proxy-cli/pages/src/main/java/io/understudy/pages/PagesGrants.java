package io.understudy.pages;

import io.understudy.sql.Quoting;
import java.util.List;

/**
 * Builds the statements that create the account for reports on pages. They run on the standby and stay out of its
 * binary log.
 */
public final class PagesGrants {
    private PagesGrants() {}

    static List<String> create(String user) {
        return List.of(
                "SET SESSION sql_log_bin = 0;",
                "CREATE USER " + account(user) + " IDENTIFIED BY '…';",
                reading(user),
                "GRANT SELECT ON mysql.innodb_index_stats TO " + account(user) + ";");
    }

    /** Returns the GRANT statement for {@code INNODB_BUFFER_PAGE} and the views of tablespaces. */
    public static String reading(String user) {
        return "GRANT PROCESS ON *.* TO " + account(user) + ";";
    }

    /** Returns the account in the form that a GRANT statement takes. */
    public static String account(String user) {
        return Quoting.account(user) + "@'%'";
    }
}
