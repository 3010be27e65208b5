package io.understudy.server;

import io.understudy.plugin.AccountUse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

/**
 * Logs in anew from time to time. The connections that the proxy has go on with an account that was locked, or whose
 * password was changed: without this nobody would know before the server's next restart.
 */
public final class LoginCheck implements AutoCloseable {
    /** Interval between logins, which count against a limit of connections per hour. */
    public static final Duration INTERVAL = Duration.ofSeconds(30);

    /** MariaDB lets an account log in whose password has expired, and refuses each statement. */
    private static final String NOTHING = "DO 1";

    private static final String FUNCTION = "new connections";

    private final DataSource source;
    private final AccountHealth health;
    private final AccountUse use;
    private final Polling polling;

    /** @param source opens a new connection each time */
    public LoginCheck(DataSource source, AccountHealth health, ScheduledExecutorService executor, Duration interval) {
        this.source = source;
        this.health = health;
        this.use = health.use(FUNCTION);
        this.polling = new Polling(executor, interval, this::poll);
    }

    /** Begins to log in, at once and then at the interval. Called once; does not wait. */
    public void start() {
        polling.start();
    }

    /** Requests a login now, because the password may be another. Does not wait. */
    public void soon() {
        polling.soon();
    }

    void poll() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(NOTHING);
            use.works();
            health.loggedIn();
        } catch (SQLException e) {
            if (!polling.stopped()) {
                use.refused(AccountHealth.code(e), ProbeFailure.reason(e));
            }
        }
    }

    @Override
    public void close() {
        polling.stop();
    }
}
