package io.understudy.session;

/** The server that a session is connected to. */
public interface Destination {
    /** A server that is never replaced by another. */
    Destination FIXED = new Destination() {
        @Override
        public String name() {
            return "the primary";
        }

        @Override
        public boolean isPrimary() {
            return true;
        }

        @Override
        public boolean isAbandoned() {
            return false;
        }

        @Override
        public void loggedIn() {}

        @Override
        public void silent() {}
    };

    /** Returns its address, for people. */
    String name();

    /** Returns whether it still is the primary. */
    boolean isPrimary();

    /** Returns whether it no longer is the primary, and another one is because it had become silent. */
    boolean isAbandoned();

    /** Called when the client's login has succeeded. */
    void loggedIn();

    /** Called when the server has sent nothing though it was its turn. */
    void silent();
}
