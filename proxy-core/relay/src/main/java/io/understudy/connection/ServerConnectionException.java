package io.understudy.connection;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A server connection could not be opened. The message says to which server, at which step, why, and what to do. */
public final class ServerConnectionException extends IOException {
    private static final long serialVersionUID = 1L;

    ServerConnectionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
