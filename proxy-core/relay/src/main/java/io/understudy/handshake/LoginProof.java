package io.understudy.handshake;

import java.util.Arrays;

/** What a login that the server accepted has shown of the client's secret. Wiped at the session's end. */
public sealed interface LoginProof {
    /** {@code SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password)))}, by mysql_native_password. */
    record NativeResponse(byte[] scramble, byte[] response) implements LoginProof {
        @Override
        public void wipe() {
            Arrays.fill(response, (byte) 0);
        }

        @Override
        public String toString() {
            return "response of mysql_native_password";
        }
    }

    /** The password as the client sent it, without a closing zero; may be empty. */
    record ClearText(byte[] password) implements LoginProof {
        @Override
        public void wipe() {
            Arrays.fill(password, (byte) 0);
        }

        @Override
        public String toString() {
            return "password";
        }
    }

    /**
     * Nothing that another login could use.
     *
     * @param method how the client logged in, for messages; empty where nothing was recorded
     */
    record None(String method) implements LoginProof {
        @Override
        public void wipe() {}
    }

    /** Overwrites the memory. */
    void wipe();
}
