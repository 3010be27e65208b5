package io.understudy.config;

/** What the proxy asks the primary for: an algorithm, or the algorithm of the session's client. */
public enum ServerCompression {
    /** As {@link Compression#ZLIB}. */
    ZLIB,
    /** As {@link Compression#ZSTD}. */
    ZSTD,
    /** The algorithm and level of the client's leg, or none. Not combinable with others. */
    AS_CLIENT
}
