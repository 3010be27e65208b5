package io.understudy.sql;

import java.util.Locale;

/** The reasons why a statement is not a pure read. A bounded set: the labels serve as metric labels. */
public enum NotPure {
    /** Not a SELECT, VALUES, TABLE, SHOW, DESCRIBE, HELP or EXPLAIN of one of them. */
    NOT_A_READ,
    /** {@code FOR UPDATE}, {@code FOR SHARE}, {@code LOCK IN SHARE MODE}. */
    LOCKING_READ,
    /** Writes rows or changes the schema. */
    WRITES,
    /** Calls an unqualified function that is not a known built-in. */
    UNKNOWN_FUNCTION,
    /** Calls a schema-qualified or quoted, hence stored, function. */
    STORED_FUNCTION,
    /** Calls a built-in function with an effect beyond its result: {@code SLEEP}, {@code GET_LOCK}, … */
    SIDE_EFFECT_FUNCTION,
    /** Assigns a user variable. */
    USER_VARIABLE,
    /** Changes what later statements of the session see: {@code SQL_CALC_FOUND_ROWS}. */
    SESSION_STATE,
    /** Contains a version comment, which servers may execute. */
    EXECUTABLE_COMMENT,
    /** More than one statement. */
    MULTI_STATEMENT,
    /** Not understood, or the text ends inside a string or comment. */
    UNPARSED,
    /** Longer than the analyser reads. */
    TOO_LONG,
    /**
     * In the client's character set the end of a string cannot be found byte by byte, or a table's name not be read.
     */
    CHARSET,
    /** Whether {@code "} quotes a name or a string is unknown, and the statement is not a pure read in both cases. */
    QUOTES_UNKNOWN,
    /** {@code SELECT … INTO}. */
    INTO,
    /** Reads or advances a sequence. */
    SEQUENCE,
    /** An optimizer hint sets a variable or a resource group. */
    HINT,
    /** {@code PROCEDURE ANALYSE} and other procedures. */
    PROCEDURE,
    /** {@code EXPLAIN ANALYZE}, {@code ANALYZE SELECT}: executes the statement to time it. */
    ANALYZE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** Returns the lower-case name used in metric labels and explanations. */
    public String label() {
        return label;
    }
}
