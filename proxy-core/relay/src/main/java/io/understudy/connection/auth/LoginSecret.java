package io.understudy.connection.auth;

import io.understudy.base.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What the proxy logs in with. Wiped by its owner, after which no login succeeds with it. */
public sealed interface LoginSecret {
    /** The password in the character set in which the server has it, without a closing zero; may be empty. */
    record Password(byte[] bytes) implements LoginSecret {
        @Override
        public void wipe() {
            Arrays.fill(bytes, (byte) 0);
        }

        @Override
        public String toString() {
            return "password";
        }
    }

    /** {@code SHA1(password)}, of 20 bytes: all that {@code mysql_native_password} needs, and no other method. */
    record NativeKey(byte[] sha1OfPassword) implements LoginSecret {
        @Override
        public void wipe() {
            Arrays.fill(sha1OfPassword, (byte) 0);
        }

        @Override
        public String toString() {
            return "key of mysql_native_password";
        }
    }

    /** Returns the secret of a password of the configuration. */
    static LoginSecret of(Secret password) {
        return new Password(password.reveal().getBytes(StandardCharsets.UTF_8));
    }

    /** Overwrites the memory. */
    void wipe();
}
