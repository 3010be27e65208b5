package io.understudy.plugins.gtiddomain.ownership;

/**
 * Receives the tables that wait for a handover, and those that had one. Called on sessions' event loops without a
 * monitor; must be fast.
 */
public interface HandoverListener {
    /** Ignores all calls. */
    HandoverListener IGNORED = new HandoverListener() {
        @Override
        public void waits(TableEntry[] entries, int owner) {}

        @Override
        public void handedOver(TableEntry[] entries) {}
    };

    /**
     * Called when a write's tables would have gone to its rule's domain, had the owner's writes been applied
     * everywhere.
     */
    void waits(TableEntry[] entries, int owner);

    /** Called when a write's tables have gone to another domain than with the write before. */
    void handedOver(TableEntry[] entries);
}
