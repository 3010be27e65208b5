package io.understudy.plugins.blackbox.history;

/** What speaks for it that a command was a commit whose response has left out its GTID. In order of strength. */
public enum CommitEvidence {
    /** The statement may write, as a CALL may. */
    MAY_WRITE,
    /** Rows were counted, but perhaps only matched, or those of a temporary table. */
    COUNTED,
    /** It has written. */
    WROTE
}
