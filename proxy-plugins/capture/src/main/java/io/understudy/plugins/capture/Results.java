package io.understudy.plugins.capture;

/** The part of results that a capture keeps. */
public enum Results {
    /** The number of rows. */
    NONE,
    /** Also a hash of the rows, in their order and in any order. */
    HASH
}
