package io.understudy.move;

/** What {@link StateReader} has found: a session's state, or why the session cannot move. */
public sealed interface Found permits CarriedState, Found.Stays, Found.Closed {
    /**
     * The session may move later, after a statement or more of its client.
     *
     * @param reason of few values, for the metric: lower case with underscores
     * @param detail for a person
     */
    record Stays(String reason, String detail) implements Found {}

    /** The session can never move. Parameters as in {@link Stays}. */
    record Closed(String reason, String detail) implements Found {}
}
