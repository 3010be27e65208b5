package io.understudy.config;

/** Says whether connections from trusted networks start with a PROXY protocol header that names the real client. */
public enum AcceptProxyProtocol {
    DISABLED,
    /** The text header, always. */
    V1,
    /** The binary header, always. */
    V2,
    /** Either header, or none. */
    AUTO
}
