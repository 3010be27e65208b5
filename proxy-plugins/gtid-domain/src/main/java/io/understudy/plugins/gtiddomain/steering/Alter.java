package io.understudy.plugins.gtiddomain.steering;

/** Values of a rule's {@code alter}. */
public enum Alter {
    /** The standby begins the schema change when the primary does, not when the primary has ended it. */
    TWO_PHASE
}
