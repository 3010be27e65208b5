package io.understudy.config;

/** What the primary is asked for: an algorithm, or what the client of the session has. */
public enum ServerCompression {
    /** As {@link Compression#ZLIB}. */
    ZLIB,
    /** As {@link Compression#ZSTD}. */
    ZSTD,
    /** The algorithm and level of the client's leg, or none. Stands alone. */
    AS_CLIENT
}
