package io.understudy.sql;

/** The form in which recorded statements keep their values. */
public enum Literals {
    /** The values as the client sent them. */
    KEEP,
    /** A hash of each value, keyed anew at every start: equal values stay equal. */
    HASH,
    /** The normalised text, with {@code ?} for each value. */
    DROP
}
