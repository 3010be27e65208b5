package io.understudy.config;

/** The compression that the proxy requests from a server: an algorithm, or that of the session's client. */
public enum ServerCompression {
    /** As {@link Compression#ZLIB}. */
    ZLIB,
    /** As {@link Compression#ZSTD}. */
    ZSTD,
    /** The algorithm and level of the client's leg, or none. Not combinable with others. */
    AS_CLIENT
}
