package io.understudy.plugins.gtiddomain.tagging;

import java.util.Locale;

/** Outcomes of a write that a rule matched. */
public enum WriteOutcome {
    /** It was sent in its rule's domain. */
    TAGGED,
    /** It would have been, in mode advise. */
    ADVISED,
    /** It followed the domain that still owned its table. */
    PINNED,
    /** It stayed in the default domain: its table must not leave it, or its tables are unknown. */
    KEPT_DEFAULT,
    /** The client has set the variable itself, so the session is not steered. */
    RESPECTED,
    /** The account's privilege to set the variable is unknown and was probed with this write. */
    UNPROVEN,
    /** The server has refused too often; the session is no longer steered. */
    LEFT_ALONE;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
