package io.understudy.plugins.gtiddomain.tagging;

/** The reaction to writes of one table from two domains. */
public enum Guard {
    /** A write follows the domain that its table is still owned by. */
    PIN,
    /** The rule's domain is set anyway; the conflict is counted and logged. */
    WARN,
    /** Tables are not followed. */
    OFF
}
