package io.understudy.command;

/**
 * Server thread ids that clients still know of sessions which have gone on at another server. Clients name them in
 * KILL. Thread-safe.
 */
public interface ThreadNumbers {
    /** Knows of no session that has moved. */
    ThreadNumbers UNCHANGED = new ThreadNumbers() {
        @Override
        public boolean any() {
            return false;
        }

        @Override
        public long present(long number) {
            return number;
        }
    };

    /** The number of two sessions. */
    long AMBIGUOUS = -1;

    /** Returns whether any session has moved. Called for each COM_QUERY, so it must cost no more than a read. */
    boolean any();

    /** Returns the present thread id of the session that a client calls {@code number}, or {@link #AMBIGUOUS}. */
    long present(long number);
}
