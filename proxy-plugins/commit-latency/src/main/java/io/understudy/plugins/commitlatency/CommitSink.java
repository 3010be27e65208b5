package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.Nullable;

/** Receives commits from the sessions' event loops. Must not block. */
interface CommitSink {
    /** Called when a response reports or implies a commit. */
    void committed(Commit commit);

    /**
     * Called when a command has begun that may commit several times.
     *
     * @return whether its end is to be reported; if not, its commits are lost
     */
    boolean began(ProcedureCall call);

    /**
     * Called when such a command's response is complete, or its session has ended.
     *
     * @param gtid as in the response; null if it had none
     */
    void ended(ProcedureCall call, long nanos, @Nullable String gtid);
}
