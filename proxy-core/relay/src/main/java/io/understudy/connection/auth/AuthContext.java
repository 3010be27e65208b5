package io.understudy.connection.auth;

import io.understudy.connection.auth.LoginSecret.Password;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Input of an authentication method.
 *
 * @param scramble the server's random bytes; a closing zero may follow them
 * @param tls whether the connection is encrypted
 * @param local whether it is a socket file, on which nobody else can listen
 * @param serverKey file of the server's RSA public key, PEM; null if none was given
 */
public record AuthContext(
        LoginSecret secret,
        byte[] scramble,
        boolean tls,
        boolean local,
        @Nullable Path serverKey) {
    /**
     * Returns the random bytes alone.
     *
     * @param length how many the method uses
     * @throws AuthException if the server sent fewer
     */
    byte[] scramble(int length) throws AuthException {
        if (scramble.length < length) {
            throw new AuthException("the server sent a scramble of " + scramble.length + " bytes where " + length
                    + " are due; is something between it and the proxy?");
        }
        return Arrays.copyOf(scramble, length);
    }

    /** @throws AuthException if only the key of another method is known */
    byte[] passwordBytes() throws AuthException {
        if (secret instanceof Password password) {
            return password.bytes();
        }
        throw new AuthException("the server asks for more than the key of mysql_native_password, and the password is"
                + " not known; give the account the same method on both servers, or list it in failover.accounts");
    }

    /** Returns the password with a closing zero, as some methods send it. */
    byte[] terminatedPassword() throws AuthException {
        byte[] bytes = passwordBytes();
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    boolean emptyPassword() {
        return secret instanceof Password password && password.bytes().length == 0;
    }
}
