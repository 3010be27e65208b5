package io.understudy.connection.auth;

/** The proxy cannot continue an authentication; the message says why and what to do. */
public final class AuthException extends Exception {
    private static final long serialVersionUID = 1L;

    public AuthException(String message) {
        super(message);
    }

    public AuthException(String message, Throwable cause) {
        super(message, cause);
    }
}
