package io.understudy.config;

/** Whether the primary is told the client's real address with a PROXY protocol header. */
public enum SendProxyProtocol {
    DISABLED,
    /** The text header. */
    V1,
    /** The binary header. */
    V2
}
