package io.understudy.connection.auth;

import org.jspecify.annotations.Nullable;

/** One authentication in progress. Made for one scramble, used once, not thread-safe. */
public interface AuthMethod {
    /** Returns the protocol's name, for example {@code mysql_native_password}. */
    String name();

    /**
     * Returns the response to the scramble.
     *
     * @throws AuthException if the method may not or cannot be used here
     */
    byte[] begin() throws AuthException;

    /**
     * Takes the server's next data: the payload after the packet's marker byte.
     *
     * @return the bytes to send, or null to wait for the server's next packet
     * @throws AuthException if the data make no sense or cannot be responded to
     */
    default byte @Nullable [] next(byte[] data) throws AuthException {
        throw new AuthException("the server continued a " + name() + " login that has no second step");
    }
}
