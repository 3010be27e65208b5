package io.understudy.rebuild;

import java.sql.SQLException;

/** Thrown if the connection that rebuilds is lost, or was ended because nothing watches it any more. */
final class ConnectionLostException extends SQLException {
    private static final long serialVersionUID = 1L;

    ConnectionLostException(String message, SQLException cause) {
        super(message, cause.getSQLState(), cause.getErrorCode(), cause);
    }
}
