package io.understudy.plugins.capture;

/** What a capture keeps of the values in statements. */
public enum Literals {
    /** The client's bytes, for a replay. */
    KEEP,
    /** A hash of each value, keyed anew at every start: equal values stay equal. */
    HASH,
    /** The normalised text, with {@code ?} for each value. */
    DROP
}
