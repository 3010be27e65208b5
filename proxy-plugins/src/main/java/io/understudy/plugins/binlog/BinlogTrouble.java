package io.understudy.plugins.binlog;

/**
 * Why there is no stream.
 *
 * @param reason kind of trouble, from a bounded set
 * @param message what happened and what to do
 */
public record BinlogTrouble(Reason reason, String message) {
    /** Kinds of trouble; the label is for metrics. */
    public enum Reason {
        /** The account may not read the binary log. */
        PRIVILEGE("privilege", true),
        /** The server writes no binary log. */
        BINLOG_OFF("binlog_off", true),
        /** Its transactions have no GTIDs. */
        GTID_OFF("gtid_off", true),
        /** Another replica has our server id. */
        SERVER_ID("server_id", false),
        /** Not reachable, or the connection broke. */
        CONNECTION("connection", false),
        /** Any other error of the server's. */
        SERVER("server", false),
        /** Bytes that are not what a binary log looks like. */
        MALFORMED("malformed", false),
        /** The listener itself failed; others go on. */
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

        /** Someone has to change something before it goes away; a retry is not worth a warning each time. */
        public boolean lasting() {
            return lasting;
        }
    }
}
