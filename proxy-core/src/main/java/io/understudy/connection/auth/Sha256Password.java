package io.understudy.connection.auth;

/** The plain password over TLS, else encrypted with the server's RSA key, which is requested first. */
final class Sha256Password implements AuthMethod {
    static final String NAME = "sha256_password";
    private static final int REQUEST_PUBLIC_KEY = 1;

    private final AuthContext context;

    Sha256Password(AuthContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] begin() {
        if (context.emptyPassword()) {
            return new byte[1];
        }
        return context.tls() ? context.terminatedPassword() : new byte[] {REQUEST_PUBLIC_KEY};
    }

    @Override
    public byte[] next(byte[] data) throws AuthException {
        return RsaPassword.encrypt(context, data);
    }
}
