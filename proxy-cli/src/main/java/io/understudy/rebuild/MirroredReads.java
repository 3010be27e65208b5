package io.understudy.rebuild;

/** The mirrored reads of a table, at the proxy that mirrors to the standby. Called by one thread. */
public interface MirroredReads {
    /** No proxy mirrors. */
    MirroredReads NONE = new MirroredReads() {
        @Override
        public String skip(String table) {
            return "";
        }

        @Override
        public String again(String table) {
            return "";
        }
    };

    /**
     * Keeps the table's reads away from the standby until {@link #again}. Never throws.
     *
     * @param table as {@code schema.table}
     * @return a line for the operator, or an empty text
     */
    String skip(String table);

    /** Mirrors the table's reads again. Never throws. Returns a line for the operator, or an empty text. */
    String again(String table);
}
