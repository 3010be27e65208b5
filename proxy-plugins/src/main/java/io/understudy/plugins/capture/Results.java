package io.understudy.plugins.capture;

/** What a capture keeps of results. */
public enum Results {
    /** The number of rows. */
    NONE,
    /** Also a hash of the rows, in their order and in any order. */
    HASH
}
