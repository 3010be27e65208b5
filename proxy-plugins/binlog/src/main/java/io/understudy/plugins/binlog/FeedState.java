package io.understudy.plugins.binlog;

/** The state of a feed's stream. Guarded by the lock of the {@link BinlogFeed}. */
interface FeedState {
    /** Neither a begin nor a failure was reported yet. */
    FeedState UNKNOWN = new FeedState() {};

    /** Returns whether transactions arrive. */
    default boolean streaming() {
        return false;
    }

    /** Returns whether there is a reason why none arrive. */
    default boolean missing() {
        return false;
    }

    /** Calls the listener of a subscriber that joins the running stream, between two transactions. */
    default void begin(BinlogSubscription joining, BinlogDump dump) {}

    /** Reports to a subscriber that joins why no transactions arrive. */
    default void explain(BinlogSubscription joining) {}

    /** The stream runs. */
    record Streaming(PrimaryFacts began) implements FeedState {
        @Override
        public boolean streaming() {
            return true;
        }

        @Override
        public void begin(BinlogSubscription joining, BinlogDump dump) {
            joining.start(dump.at(began), false);
        }
    }

    /** There is no stream. */
    record Missing(BinlogTrouble trouble) implements FeedState {
        @Override
        public boolean missing() {
            return true;
        }

        @Override
        public void explain(BinlogSubscription joining) {
            joining.gap(trouble);
        }
    }
}
