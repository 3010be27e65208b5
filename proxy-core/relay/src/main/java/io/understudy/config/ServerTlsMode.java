package io.understudy.config;

/**
 * TLS that the proxy requires of a server; most names and meanings are those of the MySQL client's {@code --ssl-mode}.
 */
public enum ServerTlsMode {
    /** Never TLS. */
    DISABLED,
    /** TLS if the server offers it; its certificate is not checked. */
    PREFERRED,
    /** TLS or no connection; the certificate is not checked. */
    REQUIRED,
    /** TLS, and the given authority must have signed the certificate. */
    VERIFY_CA,
    /** As {@link #VERIFY_CA}, and the certificate must carry the host name that was connected to. */
    VERIFY_FULL,
    /**
     * TLS for a session whose client has TLS, none for the others; the certificate is not checked. Server connections
     * behave as with {@link #PREFERRED}.
     */
    AS_CLIENT;

    /** Returns whether the server's certificate is checked. */
    public boolean verifies() {
        return this == VERIFY_CA || this == VERIFY_FULL;
    }
}
