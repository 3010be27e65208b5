package io.understudy.config;

/** An algorithm of the compressed protocol. */
public enum Compression {
    /** {@code CLIENT_COMPRESS}: every server and most drivers. */
    ZLIB,
    /** {@code CLIENT_ZSTD_COMPRESSION_ALGORITHM}: MySQL 8.0.18 and newer. */
    ZSTD
}
