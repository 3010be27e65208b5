package io.understudy.plugin;

/** What became of a statement whose response never came. */
public sealed interface Outcome {
    /**
     * It was committed, or the transaction was that it ended.
     *
     * @param gtid of the transaction
     * @param affectedRows as the OK_Packet had said, if that was the whole response; -1 if that cannot be had exactly
     * @param insertId likewise
     */
    record Committed(String gtid, long affectedRows, long insertId) implements Outcome {
        /** Returns one of which no more is known. */
        public static Committed as(String gtid) {
            return new Committed(gtid, -1, -1);
        }
    }

    /** It was not committed, nor will it be: it can be repeated. */
    record NotCommitted() implements Outcome {}

    /**
     * It cannot be told.
     *
     * @param reason for the client: a short clause without a full stop
     */
    record Unknown(String reason) implements Outcome {}
}
