package io.understudy.wire.compress;

/** Takes the content of a compressed connection. Called on the connection's event loop. */
public interface Intake {
    /** Takes everything at once. */
    Intake UNBOUNDED = new Intake() {
        @Override
        public boolean takesMore() {
            return true;
        }

        @Override
        public void holdReading(boolean on) {}
    };

    /** Returns whether content may be handed on now. {@link Compressed#resume} tells when that becomes true again. */
    boolean takesMore();

    /**
     * Called with true when received frames have to wait, so that the socket must not be read, and with false when none
     * do.
     */
    void holdReading(boolean on);
}
