package io.understudy.switchover;

/** One step of a switchover. Used by one thread. */
public interface Step {
    /** The work of a step that has nothing to undo. */
    interface Action {
        /** Returns what was done. */
        String run() throws Exception;
    }

    /** Returns a step that has nothing to undo. */
    static Step of(String plan, Action action) {
        return new Step() {
            @Override
            public String plan() {
                return plan;
            }

            @Override
            public String run() throws Exception {
                return action.run();
            }
        };
    }

    /** Returns what the step does, in the infinitive. */
    String plan();

    /**
     * Does it. Returns what was done.
     *
     * @throws Exception if it failed, perhaps after a part of it
     */
    String run() throws Exception;

    /**
     * Undoes it, also after {@link #run} failed. Returns what was undone; empty if there was nothing.
     *
     * @throws Exception if that failed; the message says what to do by hand
     */
    default String undo() throws Exception {
        return "";
    }

    /**
     * Returns whether the other steps are undone before this one, since no client waits for it: the old primary must
     * not stay read-only for as long as replication takes to start.
     */
    default boolean undoneLast() {
        return false;
    }
}
