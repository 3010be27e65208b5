package io.understudy.connection.auth;

import org.jspecify.annotations.Nullable;

/**
 * MySQL 8's default. A server with the account in its cache accepts the scrambled hash; otherwise it asks for the
 * password: plain over an encrypted or local connection, else encrypted with the server's RSA key. That key is never
 * requested from the server: whoever responds at its address could send another one, and read the password.
 *
 * <p>Source: MySQL source documentation, "Caching_sha2_password information".
 */
final class CachingSha2Password implements AuthMethod {
    static final String NAME = "caching_sha2_password";

    private static final int SCRAMBLE = 20;
    private static final int FAST_OK = 3;
    private static final int FULL = 4;

    private final AuthContext context;

    CachingSha2Password(AuthContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] begin() throws AuthException {
        if (context.emptyPassword()) {
            return new byte[1];
        }
        byte[] once = Digests.hash("SHA-256", context.passwordBytes());
        byte[] twice = Digests.hash("SHA-256", once);
        byte[] scramble = context.scramble(SCRAMBLE);
        return Digests.xor(once, Digests.hash("SHA-256", twice, scramble));
    }

    @Override
    public byte @Nullable [] next(byte[] data) throws AuthException {
        int step = data.length == 1 ? data[0] : -1;
        if (step == FAST_OK) {
            return null;
        }
        if (step != FULL) {
            throw new AuthException("the server continued " + NAME + " in a way this version does not know");
        }
        if (context.tls() || context.local()) {
            return context.terminatedPassword();
        }
        return RsaPassword.encrypt(context);
    }
}
