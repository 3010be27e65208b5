package io.understudy.sql;

import java.util.Locale;

/** Why a statement is not a pure read. A bounded set: the labels serve as metric labels. */
public enum NotPure {
    /** It is no SELECT, VALUES, TABLE, SHOW, DESCRIBE, HELP or EXPLAIN of one of them. */
    NOT_A_READ,
    /** {@code FOR UPDATE}, {@code FOR SHARE}, {@code LOCK IN SHARE MODE}. */
    LOCKING_READ,
    /** It writes rows or changes the schema. */
    WRITES,
    /** It calls an unqualified function that is not known as built in. */
    UNKNOWN_FUNCTION,
    /** It calls a schema-qualified or quoted, hence stored, function. */
    STORED_FUNCTION,
    /** It calls a built-in function with an effect beyond its result: {@code SLEEP}, {@code GET_LOCK}, … */
    SIDE_EFFECT_FUNCTION,
    /** It assigns a user variable. */
    USER_VARIABLE,
    /** It changes what later statements of the session see: {@code SQL_CALC_FOUND_ROWS}. */
    SESSION_STATE,
    /** It carries a version comment, which servers may execute. */
    EXECUTABLE_COMMENT,
    /** More than one statement. */
    MULTI_STATEMENT,
    /** The text is not understood, or ends inside a string or comment. */
    UNPARSED,
    /** The text is longer than the analyser reads. */
    TOO_LONG,
    /** The client's character set hides where strings end. */
    CHARSET,
    /** What {@code "} quotes is not known, and it is not a pure read in both cases. */
    QUOTES_UNKNOWN,
    /** {@code SELECT … INTO}. */
    INTO,
    /** It reads or moves a sequence. */
    SEQUENCE,
    /** An optimizer hint sets a variable or a resource group. */
    HINT,
    /** {@code PROCEDURE ANALYSE} and the like. */
    PROCEDURE,
    /** {@code EXPLAIN ANALYZE}, {@code ANALYZE SELECT}: runs the statement to time it. */
    ANALYZE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The name used in metric labels and explanations, lower case. */
    public String label() {
        return label;
    }
}
