package io.understudy.connection.auth;

import io.understudy.config.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a method has to work with.
 *
 * @param scramble the server's random bytes; a closing zero may follow them
 * @param tls the connection is encrypted
 * @param local a socket file: nobody else can listen
 */
public record AuthContext(Secret password, byte[] scramble, boolean tls, boolean local) {
    /**
     * The random bytes alone.
     *
     * @param length how many the method has
     * @throws AuthException when the server sent fewer
     */
    byte[] scramble(int length) throws AuthException {
        if (scramble.length < length) {
            throw new AuthException("the server sent a scramble of " + scramble.length + " bytes where " + length
                    + " are due; is something between it and the proxy?");
        }
        return Arrays.copyOf(scramble, length);
    }

    byte[] passwordBytes() {
        return password.reveal().getBytes(StandardCharsets.UTF_8);
    }

    /** The password as some methods want it: with a closing zero. */
    byte[] terminatedPassword() {
        byte[] bytes = passwordBytes();
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    boolean emptyPassword() {
        return password.reveal().isEmpty();
    }
}
