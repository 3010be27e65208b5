package io.understudy.plugins.binlog;

/**
 * The reason why there is no stream.
 *
 * @param reason kind of trouble, from a bounded set
 * @param cause what happened, with the server's error if it sent one
 * @param remedy what to do; empty if the cause says it, or there is nothing to do
 */
public record BinlogTrouble(Reason reason, String cause, String remedy) {
    /** Creates one whose cause needs no remedy. */
    public BinlogTrouble(Reason reason, String cause) {
        this(reason, cause, "");
    }

    /** Returns cause and remedy. */
    public String message() {
        return remedy.isEmpty() ? cause : cause + "; " + remedy;
    }

    /** Returns the number of the server's error in the cause; 0 if there is none. */
    public int errorCode() {
        return BinlogErrors.code(cause);
    }

    /** Kinds of trouble; the label is for metrics. */
    public enum Reason {
        /** The account may not read the binary log. */
        PRIVILEGE("privilege", true),
        /** The server writes no binary log. */
        BINLOG_OFF("binlog_off", true),
        /** The server's transactions have no GTIDs. */
        GTID_OFF("gtid_off", true),
        /** Another replica has this connection's server id. */
        SERVER_ID("server_id", false),
        /** The server is unreachable, or the connection was lost. */
        CONNECTION("connection", false),
        /** Any other error of the server. */
        SERVER("server", false),
        /** The bytes are no binary log. */
        MALFORMED("malformed", false),
        /** The listener itself failed; other subscribers continue. */
        FAULT("fault", true);

        private final String label;
        private final boolean lasting;

        Reason(String label, boolean lasting) {
            this.label = label;
            this.lasting = lasting;
        }

        public String label() {
            return label;
        }

        /**
         * Returns whether the trouble lasts until an administrator changes something, so that retries need no warnings.
         */
        public boolean lasting() {
            return lasting;
        }
    }
}
