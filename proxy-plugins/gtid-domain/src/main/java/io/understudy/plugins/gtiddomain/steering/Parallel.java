package io.understudy.plugins.gtiddomain.steering;

/** Values of a rule's {@code parallel}. */
public enum Parallel {
    /** The standby does not apply the transaction in parallel with those before it. */
    SKIP
}
