package io.understudy.config;

/**
 * The setting for connections from trusted networks that start with a PROXY protocol header that names the real client.
 */
public enum AcceptProxyProtocol {
    DISABLED,
    /** The text header, always. */
    V1,
    /** The binary header, always. */
    V2,
    /** Either header, or none. */
    AUTO
}
