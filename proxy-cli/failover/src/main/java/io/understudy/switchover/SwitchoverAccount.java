package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.yaml.YamlNode;
import io.understudy.connection.AccountRemedy;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The account of section {@code switchover} on one server, asked before it is needed. */
public final class SwitchoverAccount {
    private SwitchoverAccount() {}

    /**
     * Ensures that the account can log in to a server and may do all that a switchover does there. Changes nothing.
     *
     * @param name of the server in the message
     * @param replays whether a failover has to apply transactions of a black box there, too
     * @param witness whether the black box acknowledges, so that a failover enables semi-synchronous replication
     * @throws SQLException if it cannot, or the server does not respond; the message has the statements that mend it
     */
    public static void check(
            String name,
            Address address,
            ServerTlsConfig tls,
            Duration connectTimeout,
            SwitchoverConfig account,
            boolean replays,
            boolean witness)
            throws SQLException {
        try (Node node = Node.of(name, address, tls, connectTimeout, account)) {
            Privileges.check(replays, witness, node);
        } catch (SQLException e) {
            throw explained(e, account.user());
        }
    }

    /** Returns whether the configuration's black box acknowledges to the primary. */
    public static boolean acknowledges(UnderstudyConfig config) {
        RawSection blackBox = config.plugins().get("black-box");
        return blackBox != null
                && blackBox.enabled()
                && blackBox.node() instanceof YamlNode.Mapping keys
                && keys.get("acknowledge") instanceof YamlNode.Scalar mode
                && !mode.value().equals("off");
    }

    /**
     * Returns the account.
     *
     * @throws IllegalArgumentException if the configuration names none; the message says what to add
     */
    public static SwitchoverConfig of(UnderstudyConfig config) {
        SwitchoverConfig account = config.switchover();
        if (account == null) {
            throw new IllegalArgumentException("the configuration names no account for this: add switchover: { user:"
                    + " …, password: … }; docs/production.md has its privileges");
        }
        return account;
    }

    /**
     * Ensures that there is a token for the proxy.
     *
     * @throws IllegalArgumentException if the configuration has no token of the proxy; the message says what to add
     */
    public static void ensureToken(UnderstudyConfig config) {
        if (!config.admin().enabled() || config.admin().token() == null) {
            throw new IllegalArgumentException("the running proxy holds sessions and changes the primary for holders of"
                    + " its token alone: add admin: { token: … } to the file, and reload the proxy");
        }
    }

    /** Returns the failure of a statement; of a refused account, with what mends it. */
    public static SQLException explained(SQLException failure, String user) {
        int code = failure.getErrorCode();
        if (!AccountRemedy.concerns(code)) {
            return failure;
        }
        String said = String.valueOf(failure.getMessage());
        String remedy =
                AccountRemedy.isPassword(code) ? create(user) : AccountRemedy.ofStandby(code, said, user, "switchover");
        return new SQLException(said + "; " + remedy, failure.getSQLState(), code, failure);
    }

    private static String create(String user) {
        String account = Quoting.account(user) + "@'%'";
        return "correct user and password in section switchover, or on the primary: CREATE USER " + account
                + " IDENTIFIED BY '…'; GRANT " + grant(Privileges.ON_MARIADB, account) + " (MySQL: "
                + grant(Privileges.ON_MYSQL, account) + ")";
    }

    private static String grant(List<String> privileges, String account) {
        return String.join(", ", privileges) + " ON *.* TO " + account;
    }
}
