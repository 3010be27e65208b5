package io.understudy.plugins.querylog.stream;

/** What the stream shows of the values in statements. */
public enum Literals {
    /** The values themselves. */
    KEEP,
    /** A hash of each value, keyed anew at every start: equal values stay equal. */
    HASH,
    /** The normalised text, with {@code ?} for each value. */
    DROP
}
