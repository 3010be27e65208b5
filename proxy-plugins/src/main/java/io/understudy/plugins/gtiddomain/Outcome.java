package io.understudy.plugins.gtiddomain;

import java.util.Locale;

/** What became of a write that a rule matched. */
enum Outcome {
    /** It went out in its rule's domain. */
    TAGGED,
    /** It would have, in mode advise. */
    ADVISED,
    /** It followed the domain that still owned its table. */
    PINNED,
    /** It stayed in the default domain: its table must not leave it, or its tables are not known. */
    KEPT_DEFAULT,
    /** The client has set the variable itself and is left alone. */
    RESPECTED,
    /** It is not yet known whether the account may set the variable; asked now. */
    UNPROVEN,
    /** The server has refused too often; the session is left alone. */
    LEFT_ALONE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
