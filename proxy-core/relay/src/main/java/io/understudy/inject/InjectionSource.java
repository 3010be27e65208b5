package io.understudy.inject;

import io.understudy.command.Exchange;
import io.understudy.plugin.InjectedStatement;
import org.jspecify.annotations.Nullable;

/** The observers that may inject statements, in the order in which they are called. */
public interface InjectionSource {
    int size();

    /**
     * Returns whether any observer may inject a statement now. Only then are statements held until they are complete.
     */
    default boolean wants() {
        return true;
    }

    /**
     * Returns the same for a preparation. Some clients send the execution without waiting for the response to the
     * preparation, and nothing can be injected between them, so what the session needs before its first statement must
     * be injected here.
     */
    default boolean wantsAheadOfPreparation() {
        return false;
    }

    /**
     * Returns whether the effect of an injected statement must still be undone, so that commands that may write are
     * held even off a boundary.
     */
    default boolean owes() {
        return false;
    }

    /**
     * Returns the observer's statement to inject off a boundary, or ahead of a command that is no statement; null for
     * none.
     */
    default @Nullable InjectedStatement beforeUnknown(int observer, Exchange exchange) {
        return null;
    }

    /** Returns the observer's statement to inject before the session's first command; null for none. */
    default @Nullable InjectedStatement afterLogin(int observer) {
        return null;
    }

    /** Returns the observer's statement to inject at a boundary; null for none. */
    @Nullable
    InjectedStatement beforeCommand(int observer, Exchange exchange);
}
