package io.understudy.config;

/** The setting by which the primary gets the client's address in a PROXY protocol header. */
public enum SendProxyProtocol {
    DISABLED,
    /** The text header. */
    V1,
    /** The binary header. */
    V2
}
