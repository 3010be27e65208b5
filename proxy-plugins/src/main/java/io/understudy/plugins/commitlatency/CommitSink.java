package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.Nullable;

/** Takes commits from the sessions' event loops. Must not wait. */
interface CommitSink {
    /** A response told of a commit, or lets infer one. */
    void committed(Commit commit);

    /** A command has begun that may commit several times. */
    void began(ProcedureCall call);

    /**
     * Its response is over, or its session is.
     *
     * @param gtid as the response told it; null if it did not
     */
    void ended(ProcedureCall call, long nanos, @Nullable String gtid);
}
