package io.understudy.config;

/** TLS that the proxy offers its clients. */
public enum ListenTlsMode {
    /** TLS is not offered. */
    DISABLED,
    /** The client chooses. */
    OPTIONAL,
    /** A client that does not ask for TLS is refused. */
    REQUIRED,
    /** The client's TLS ends at the primary: the proxy relays it unread and sees no statements of the session. */
    PASSTHROUGH
}
