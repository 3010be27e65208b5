package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.connection.AccountRemedy;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains why a login of the proxy itself failed, and the remedy for that cause. */
final class LoginFailure {
    private static final int ER_ACCESS_DENIED = 1045;
    private static final int ER_HOST_IS_BLOCKED = 1129;
    private static final int ER_HOST_NOT_PRIVILEGED = 1130;
    /** The driver's, of a plugin that it lacks: MySQL 9 asks one of a user that it does not have. */
    private static final int ER_NOT_SUPPORTED_AUTH_MODE = 1251;

    static final String OF_PRIMARY = "primary.address";

    private LoginFailure() {}

    /**
     * Returns the cause and the remedy.
     *
     * @param section of the configuration that has tls and the account
     * @param addressKey the key of the configuration that has the address; of any but {@link #OF_PRIMARY} it may be a
     *     standby's
     * @param createAccount the statements that create the account, by the server's product; called only if needed
     */
    static String of(
            SQLException failure,
            Address address,
            String user,
            String section,
            String addressKey,
            Function<PrivilegeNames, String> createAccount) {
        SSLException tls = cause(failure, SSLException.class);
        if (tls != null) {
            return "no TLS with " + address + ": " + message(tls) + "; check " + section + ".tls";
        }
        IOException network = cause(failure, IOException.class);
        if (network != null) {
            return unreachable(network, address, addressKey);
        }
        String said = message(failure).replaceFirst("^\\(conn=\\d+\\) ", "");
        String refused = "cannot log in to " + address + " as " + user + ": "
                + (failure.getErrorCode() == 0 ? "" : "ERROR " + failure.getErrorCode() + ": ") + said;
        return switch (failure.getErrorCode()) {
            case ER_ACCESS_DENIED ->
                refused + "; check user and password in " + section + ", or create the account: "
                        + createAccount.apply(PrivilegeNames.of(address));
            case ER_NOT_SUPPORTED_AUTH_MODE ->
                refused + "; the account may not exist, which MySQL hides, or has another plugin than"
                        + " caching_sha2_password; check user in " + section + ", or create the account: "
                        + createAccount.apply(PrivilegeNames.MYSQL);
            case ER_HOST_NOT_PRIVILEGED ->
                refused + "; no account may log in from this host; create it for any host: "
                        + createAccount.apply(PrivilegeNames.UNKNOWN);
            default ->
                AccountRemedy.concerns(failure.getErrorCode()) || failure.getErrorCode() == ER_HOST_IS_BLOCKED
                        ? refused + "; "
                                + (addressKey.equals(OF_PRIMARY)
                                        ? AccountRemedy.of(failure.getErrorCode(), said, user, section)
                                        : AccountRemedy.ofStandby(failure.getErrorCode(), said, user, section))
                        : refused;
        };
    }

    /** Returns whether the server was not reached, or did not respond. */
    static boolean isOfTheNetwork(SQLException failure) {
        return cause(failure, IOException.class) != null && cause(failure, SSLException.class) == null;
    }

    private static String unreachable(IOException network, Address address, String addressKey) {
        String why = message(network);
        if (network instanceof SocketTimeoutException
                && !why.toLowerCase(Locale.ROOT).contains("connect")) {
            return address + " accepts connections and does not respond: the server is frozen or overloaded, or another"
                    + " service listens there; check " + addressKey + " and the server";
        }
        return "cannot connect to " + address + ": " + why + "; start the server, open the way to it, or correct "
                + addressKey;
    }

    private static String message(Throwable failure) {
        String message = failure.getMessage();
        return message == null
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }

    /** Returns the innermost cause of that type. */
    private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
        T found = null;
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (type.isInstance(at)) {
                found = type.cast(at);
            }
        }
        return found;
    }
}
