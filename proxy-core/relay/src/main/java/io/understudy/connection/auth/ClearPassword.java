package io.understudy.connection.auth;

/** The plain password, as PAM and LDAP accounts need it. Never over a connection that others can read. */
final class ClearPassword implements AuthMethod {
    static final String NAME = "mysql_clear_password";

    private final AuthContext context;

    ClearPassword(AuthContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] begin() throws AuthException {
        if (!context.tls()) {
            throw new AuthException("the server wants the password in the clear (" + NAME
                    + "), which is done over TLS only; set tls: { mode: required } or better for this server");
        }
        return context.terminatedPassword();
    }
}
