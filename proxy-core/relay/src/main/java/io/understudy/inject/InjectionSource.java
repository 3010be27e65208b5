package io.understudy.inject;

import io.understudy.command.Exchange;
import io.understudy.plugin.InjectedStatement;

/** The observers that may inject statements. */
public interface InjectionSource {
    /** Takes statements in the order in which they are sent. */
    interface Sink {
        /**
         * Injects a statement.
         *
         * @param observer number of the observer that gets the result
         */
        void inject(InjectedStatement statement, int observer);
    }

    /**
     * Returns whether any observer may inject or refuse a statement now. Only then are statements held until they are
     * complete.
     */
    boolean wants();

    /**
     * Returns whether a variable must still be set back, so that commands that may write are held even off a boundary.
     */
    boolean owes();

    /**
     * Gives the statements to inject ahead of a command; off a boundary only those that set variables back. At a
     * boundary it may also refuse the command, by an exception.
     */
    void ahead(Exchange exchange, boolean atBoundary, Sink sink);

    /** Gives the statements to inject before the session's first command. */
    void afterLogin(Sink sink);
}
