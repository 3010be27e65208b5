package io.understudy.client.auth;

import io.understudy.config.Secret;
import java.nio.charset.StandardCharsets;

/**
 * What a method has to work with.
 *
 * @param scramble the server's random bytes, without a closing zero
 * @param tls the connection is encrypted
 * @param local a socket file: nobody else can listen
 */
public record AuthContext(Secret password, byte[] scramble, boolean tls, boolean local) {
    byte[] passwordBytes() {
        return password.reveal().getBytes(StandardCharsets.UTF_8);
    }

    /** The password as some methods want it: with a closing zero. */
    byte[] terminatedPassword() {
        byte[] bytes = passwordBytes();
        return java.util.Arrays.copyOf(bytes, bytes.length + 1);
    }

    boolean emptyPassword() {
        return password.reveal().isEmpty();
    }
}
