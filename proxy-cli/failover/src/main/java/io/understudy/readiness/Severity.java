package io.understudy.readiness;

import java.util.Locale;

/** The weight of a finding, the heaviest first. */
public enum Severity {
    /** The standby must not be promoted as it is. */
    BLOCKS,
    /** Something is different or worse after a promotion. */
    WARNS,
    /** A fact could not be read. */
    UNKNOWN,
    /** Something that the promotion itself mends: it changes no verdict. */
    NOTES;

    /** Returns the word of the JSON. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
