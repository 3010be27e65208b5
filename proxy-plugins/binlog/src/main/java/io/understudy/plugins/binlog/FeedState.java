package io.understudy.plugins.binlog;

/**
 * The state of a feed's stream: {@code Unknown → Streaming ⇄ Missing}, and {@code Lent} from any of them. Guarded by
 * the {@link BinlogFeed}'s lock.
 */
sealed interface FeedState {
    /** Neither a begin nor a failure was reported yet. */
    record Unknown() implements FeedState {}

    /** The stream runs. */
    record Streaming(PrimaryFacts began) implements FeedState {}

    /**
     * Another connection brings the transactions.
     *
     * @param reached where it is now
     */
    record Lent(PrimaryFacts began, StreamPosition reached) implements FeedState {}

    /** There is no stream. */
    record Missing(BinlogTrouble trouble) implements FeedState {}
}
