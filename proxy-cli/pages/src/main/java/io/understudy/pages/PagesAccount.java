package io.understudy.pages;

import io.understudy.config.PagesConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.AccountRemedy;
import io.understudy.server.DriverSource;
import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The account from the configuration's section {@code pages}, used on one standby. */
public final class PagesAccount {
    private static final int ER_ACCESS_DENIED = 1045;

    private final StandbyConfig standby;
    private final PagesConfig config;

    private PagesAccount(StandbyConfig standby, PagesConfig config) {
        this.standby = standby;
        this.config = config;
    }

    /**
     * Returns the account for a standby.
     *
     * @throws IllegalArgumentException if there is no such standby or no account; the message says what to configure
     *     where
     */
    public static PagesAccount of(UnderstudyConfig config, String name) {
        StandbyConfig standby = config.standbys().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no standby '" + name + "'; known: "
                        + config.standbys().stream().map(StandbyConfig::name).toList()));
        PagesConfig pages = config.pages();
        if (pages == null) {
            throw new IllegalArgumentException(
                    "the configuration names no account for this: add pages: { user: …, password: … }, an account"
                            + " that exists on"
                            + " the standbys only; docs/pages.md has its privileges");
        }
        return new PagesAccount(standby, pages);
    }

    public StandbyConfig standby() {
        return standby;
    }

    public PagesConfig config() {
        return config;
    }

    /**
     * Opens a connection to the standby.
     *
     * @param response how long one statement may take before the connection is given up; zero for no limit
     */
    public Connection connect(Duration response) throws SQLException {
        try {
            return new DriverSource(
                            standby.address(),
                            standby.tls(),
                            config.user(),
                            config.password(),
                            standby.connectTimeout(),
                            response)
                    .getConnection();
        } catch (SQLException e) {
            int code = e.getErrorCode();
            String remedy = code == ER_ACCESS_DENIED
                    ? "; is pages.password right? If it is, and the server has an anonymous account ''@'localhost',"
                            + " drop that, as it is matched before '%'. Otherwise create the account there: "
                            + String.join(" ", create(config.user()))
                    : AccountRemedy.concerns(code)
                            // Only that standby has it.
                            ? "; there, behind SET SESSION sql_log_bin = 0: "
                                    + AccountRemedy.of(code, String.valueOf(e.getMessage()), config.user(), "pages")
                            : "";
            throw new SQLException(
                    "cannot log in to " + standby.name() + " (" + standby.address() + ") as " + config.user() + ": "
                            + e.getMessage() + remedy,
                    e.getSQLState(),
                    code,
                    e);
        }
    }

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
