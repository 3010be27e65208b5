package io.understudy.client;

import java.io.IOException;

/** No connection of our own could be had. The message says to which server, at which step, why, and what to do. */
public final class WireException extends IOException {
    private static final long serialVersionUID = 1L;

    WireException(String message, Throwable cause) {
        super(message, cause);
    }

    WireException(String message) {
        super(message);
    }
}
