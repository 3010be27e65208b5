package io.understudy.lost;

/** The command line that replays a rescue file with the product's own client. */
public final class RescueRecipe {
    private RescueRecipe() {}

    /**
     * Returns it. MariaDB would log a replayed {@code CREATE TABLE … SELECT} as two transactions, so nothing is logged
     * there: each other standby needs a file of its own.
     *
     * @param server the client's options
     */
    public static String of(boolean mysql, String file, String server) {
        return mysql
                ? "mysqlbinlog " + file + " | mysql --local-infile=1 " + server
                : "{ echo \"SET sql_log_bin=0;\"; mariadb-binlog " + file + "; } | mariadb " + server;
    }
}
