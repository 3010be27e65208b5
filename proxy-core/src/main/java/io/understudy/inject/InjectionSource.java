package io.understudy.inject;

import io.understudy.command.Exchange;
import io.understudy.plugin.InjectedStatement;
import org.jspecify.annotations.Nullable;

/** Who may want a statement added, in the order in which they are asked. */
public interface InjectionSource {
    int size();

    /** Whether anyone may want to add a statement now: only then are statements held until they are known whole. */
    default boolean wants() {
        return true;
    }

    /**
     * The same ahead of a preparation. Clients send the execution right behind it without waiting, where nothing can be added
     * any more, so what the session needs before its first statement has to come here.
     */
    default boolean wantsAheadOfPreparation() {
        return false;
    }

    /** Whether a statement of someone's is still to be undone, so that what may write is held off boundaries too. */
    default boolean owes() {
        return false;
    }

    /** Asks one off a boundary, or ahead of a command that is no statement; null for no. */
    default @Nullable InjectedStatement beforeUnknown(int observer, Exchange exchange) {
        return null;
    }

    /** Asks one for what it needs answered before the session's first command; null for nothing. */
    default @Nullable InjectedStatement afterLogin(int observer) {
        return null;
    }

    /** Asks one; null for no. */
    @Nullable
    InjectedStatement beforeCommand(int observer, Exchange exchange);
}
