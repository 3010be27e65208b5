package io.understudy.connection.auth;

import io.understudy.connection.auth.LoginSecret.NativeKey;

/** {@code SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password)))}; nothing for an empty password. */
final class NativePassword implements AuthMethod {
    static final String NAME = "mysql_native_password";
    private static final int SCRAMBLE = 20;

    private final AuthContext context;

    NativePassword(AuthContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] begin() throws AuthException {
        if (context.emptyPassword()) {
            return new byte[0];
        }
        byte[] once = context.secret() instanceof NativeKey key
                ? key.sha1OfPassword()
                : Digests.hash("SHA-1", context.passwordBytes());
        byte[] twice = Digests.hash("SHA-1", once);
        byte[] scramble = context.scramble(SCRAMBLE);
        return Digests.xor(once, Digests.hash("SHA-1", scramble, twice));
    }
}
