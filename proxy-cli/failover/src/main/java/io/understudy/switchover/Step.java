package io.understudy.switchover;

import java.util.concurrent.Callable;

/** One step of a switchover. Used by one thread. */
public interface Step {
    /**
     * Returns a step that has nothing to undo.
     *
     * @param action returns what was done
     */
    static Step of(String plan, Callable<String> action) {
        return new Step() {
            @Override
            public String plan() {
                return plan;
            }

            @Override
            public String run() throws Exception {
                return action.call();
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
