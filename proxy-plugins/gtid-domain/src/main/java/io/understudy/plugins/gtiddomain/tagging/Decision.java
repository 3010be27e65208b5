package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.Work;
import org.jspecify.annotations.Nullable;

/**
 * What was found at a boundary about the command that follows, attached to that command until it is sent. A session has
 * one: nothing else is in flight then. Used on the session's event loop.
 */
final class Decision {
    Work work = Work.NONE;
    /** The write in the domain that was found, until it is sent; null for none. */
    @Nullable
    PendingWrite write;
    /** Whether the guard chose the domain. */
    boolean guarded;

    Decision begin(Work found) {
        work = found;
        write = null;
        guarded = false;
        return this;
    }
}
