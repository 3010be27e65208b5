package io.understudy.plugins.commitlatency;

/** Takes commits from the sessions' event loops. Must not wait. */
@FunctionalInterface
interface CommitSink {
    void committed(Commit commit);
}
