package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.LinkedHashMap;
import java.util.Map;

/** The position that a stream has reached, in the form in which a stream is requested. Not thread-safe. */
interface StreamPosition {
    /** The position of a stream that need not continue where it ended. */
    StreamPosition UNKNOWN = new StreamPosition() {
        @Override
        public void passed(BinlogTransaction transaction) {}

        @Override
        public PrimaryFacts of(PrimaryFacts facts) {
            return facts;
        }
    };

    /**
     * Returns the position in a server's notation.
     *
     * @throws IllegalArgumentException if the text is no position
     */
    static StreamPosition parse(ServerFlavor flavor, String text) {
        return flavor == ServerFlavor.MARIADB ? MariaDb.parse(text) : new MySql(GtidNumbers.ofMySql(text));
    }

    /** Called when the stream has brought a transaction. */
    void passed(BinlogTransaction transaction);

    /** Returns the facts at this position, or as they are if it is unknown. */
    PrimaryFacts of(PrimaryFacts facts);

    /**
     * A position on MariaDB.
     *
     * @param last the last GTID of each domain
     */
    record MariaDb(Map<Long, String> last) implements StreamPosition {
        private static MariaDb parse(String text) {
            Map<Long, String> last = new LinkedHashMap<>();
            MariaDbGtid.list(text).forEach(gtid -> last.put(gtid.domain(), gtid.toString()));
            return new MariaDb(last);
        }

        @Override
        public void passed(BinlogTransaction transaction) {
            String gtid = transaction.gtid();
            if (gtid != null) {
                last.put(transaction.domain(), gtid);
            }
        }

        @Override
        public PrimaryFacts of(PrimaryFacts facts) {
            return facts.at(String.join(",", last.values()));
        }
    }

    /** A position on MySQL: the set of executed GTIDs. */
    record MySql(GtidNumbers executed) implements StreamPosition {
        @Override
        public void passed(BinlogTransaction transaction) {
            String gtid = transaction.gtid();
            if (gtid != null) {
                executed.add(gtid.substring(0, gtid.lastIndexOf(':')), transaction.sequence());
            }
        }

        @Override
        public PrimaryFacts of(PrimaryFacts facts) {
            return facts.at(executed.toString());
        }
    }
}
