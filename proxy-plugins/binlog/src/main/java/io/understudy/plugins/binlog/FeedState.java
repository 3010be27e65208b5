package io.understudy.plugins.binlog;

/** The state of a feed's stream: {@code Unknown → Streaming ⇄ Missing}. Guarded by the {@link BinlogFeed}'s lock. */
sealed interface FeedState {
    /** Neither a begin nor a failure was reported yet. */
    record Unknown() implements FeedState {}

    /** The stream runs. */
    record Streaming(PrimaryFacts began) implements FeedState {}

    /** There is no stream. */
    record Missing(BinlogTrouble trouble) implements FeedState {}
}
