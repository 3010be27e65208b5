package io.understudy.command.prepared;

/** How a statement may change LAST_INSERT_ID(), and what its response tells of that. */
public enum InsertIdChange {
    /** Not at all; an id in the OK packet comes from something that was not recognised. */
    REPORTED,
    /** A single INSERT or REPLACE: the id in the OK packet was generated, or given by the statement. */
    INSERTED,
    /** An UPDATE with LAST_INSERT_ID(…): the id in the OK packet, if that was reached. */
    ASSIGNED,
    /** In a way that the response may not tell. */
    HIDDEN
}
