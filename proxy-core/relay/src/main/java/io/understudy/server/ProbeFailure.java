package io.understudy.server;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import javax.net.ssl.SSLException;

/** Derives the server's state from the failure of a probe. */
enum ProbeFailure {
    /** It refuses connections, or has closed one. */
    DOWN,
    /** Nothing came in time: it is frozen or overloaded, or the network is cut. */
    SILENT,
    /** It is alive, and has answered a login so late that the driver had given up. */
    LATE,
    /** It is alive, and lets nobody of this host in; others may work with it. */
    HOST,
    /** It is alive, and the probe's account or TLS settings are at fault. */
    ACCOUNT;

    /** Part of the driver's message for {@link #LATE}, which has no code of its own. */
    private static final String LATE_LOGIN = "reached during authentication phase";

    private static final int ER_SERVER_SHUTDOWN = 1053;
    private static final int ER_HOST_IS_BLOCKED = 1129;
    private static final int ER_HOST_NOT_PRIVILEGED = 1130;

    static ProbeFailure of(Exception failure) {
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (at instanceof SocketTimeoutException) {
                return SILENT;
            }
            if (at instanceof SSLException) {
                return ACCOUNT;
            }
            if (at instanceof IOException) {
                return DOWN;
            }
            if (isLate(at)) {
                return LATE;
            }
            int code = at instanceof SQLException sql ? sql.getErrorCode() : 0;
            if (code == ER_SERVER_SHUTDOWN) {
                return DOWN;
            }
            if (code == ER_HOST_IS_BLOCKED || code == ER_HOST_NOT_PRIVILEGED) {
                return HOST;
            }
        }
        return ACCOUNT;
    }

    /** Returns whether the server is alive, so that it may be the primary, and cannot be queried. */
    boolean isAlive() {
        return this == LATE || this == HOST || this == ACCOUNT;
    }

    /** Returns whether the driver says that it has given up a login which the server has answered late. */
    static boolean isLate(Throwable failure) {
        return failure instanceof SQLException
                && String.valueOf(failure.getMessage()).contains(LATE_LOGIN);
    }

    /** Returns the innermost message: that of a pool says only that it waited in vain. */
    static String reason(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        String message = at.getMessage();
        if (isLate(at) || message != null && message.contains("cannot be called on a closed connection")) {
            return "no response in time"; // what the driver says after it has given up
        }
        return message == null
                ? at.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
