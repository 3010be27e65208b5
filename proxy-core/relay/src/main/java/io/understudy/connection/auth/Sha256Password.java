package io.understudy.connection.auth;

/** The plain password over TLS, else encrypted with the server's RSA key; see {@link CachingSha2Password}. */
final class Sha256Password implements AuthMethod {
    static final String NAME = "sha256_password";

    private final AuthContext context;

    Sha256Password(AuthContext context) {
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
        return context.tls() ? context.terminatedPassword() : RsaPassword.encrypt(context);
    }

    @Override
    public byte[] next(byte[] data) throws AuthException {
        throw new AuthException("the server continued " + NAME + " in a way this version does not know");
    }
}
