package io.understudy.config;

/** What the proxy asks of a server; most names and meanings are those of the MySQL client's {@code --ssl-mode}. */
public enum ServerTlsMode {
    /** Never TLS. */
    DISABLED,
    /** TLS when the server offers it; its certificate is not checked. */
    PREFERRED,
    /** TLS or no connection; the certificate is not checked. */
    REQUIRED,
    /** TLS, and the certificate must come from the given authority. */
    VERIFY_CA,
    /** As {@link #VERIFY_CA}, and the certificate must carry the name that was dialled. */
    VERIFY_FULL,
    /**
     * TLS for a session whose client has TLS, none for the others; the certificate is not checked. Connections that the
     * proxy itself opens have it as in {@link #PREFERRED}.
     */
    AS_CLIENT;

    /** Whether the server's certificate is checked. */
    public boolean verifies() {
        return this == VERIFY_CA || this == VERIFY_FULL;
    }
}
