package io.understudy.plugin;

/** What became of a statement whose response never came. */
public sealed interface Outcome {
    /**
     * It was committed, or the transaction was that it ended.
     *
     * @param gtid of the transaction
     */
    record Committed(String gtid) implements Outcome {}

    /** It was not committed, nor will it be: it can be repeated. */
    record NotCommitted() implements Outcome {}

    /**
     * It cannot be told.
     *
     * @param reason for the client: a short clause without a full stop
     */
    record Unknown(String reason) implements Outcome {}
}
