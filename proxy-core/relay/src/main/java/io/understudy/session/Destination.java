package io.understudy.session;

/** The server that a session is connected to. */
public interface Destination {
    /** A server that is never replaced by another. */
    Destination FIXED = () -> "the primary";

    /** Returns its address, for people. */
    String name();

    /** Returns whether it still is the primary. */
    default boolean isPrimary() {
        return true;
    }

    /** Returns whether it no longer is the primary, and another one is because it had become silent. */
    default boolean isAbandoned() {
        return false;
    }

    /** Called when the client's login has succeeded. */
    default void loggedIn() {}

    /** Called when the server has sent nothing though it was its turn. */
    default void silent() {}
}
