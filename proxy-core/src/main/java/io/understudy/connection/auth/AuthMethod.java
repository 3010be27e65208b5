package io.understudy.connection.auth;

import org.jspecify.annotations.Nullable;

/** One authentication in progress. Made for one scramble, used once, not thread-safe. */
public interface AuthMethod {
    /** As the protocol calls it, for example {@code mysql_native_password}. */
    String name();

    /**
     * The answer to the scramble.
     *
     * @throws AuthException when the method may not or cannot be used here
     */
    byte[] begin() throws AuthException;

    /**
     * The server says more: the payload after the packet's marker byte.
     *
     * @return what to answer, or null to wait for the server's next packet
     * @throws AuthException when it makes no sense or cannot be answered
     */
    default byte @Nullable [] next(byte[] data) throws AuthException {
        throw new AuthException("the server continued a " + name() + " login that has no second step");
    }
}
