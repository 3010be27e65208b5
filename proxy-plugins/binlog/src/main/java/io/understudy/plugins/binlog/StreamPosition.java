package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The position that a stream has reached, in the form in which a stream is requested. Not thread-safe.
 *
 * @param last MariaDB: the last GTID of each domain
 * @param executed MySQL: the set of executed GTIDs
 */
record StreamPosition(
        @Nullable Map<Long, String> last, @Nullable GtidNumbers executed) {
    /** The position of a stream that need not continue where it ended. */
    static final StreamPosition UNKNOWN = new StreamPosition(null, null);

    /**
     * Returns the position in a server's notation.
     *
     * @throws IllegalArgumentException if the text is no position
     */
    static StreamPosition parse(ServerFlavor flavor, String text) {
        if (flavor != ServerFlavor.MARIADB) {
            return new StreamPosition(null, GtidNumbers.ofMySql(text));
        }
        Map<Long, String> last = new LinkedHashMap<>();
        MariaDbGtid.list(text).forEach(gtid -> last.put(gtid.domain(), gtid.toString()));
        return new StreamPosition(last, null);
    }

    /** Called when the stream has brought a transaction. */
    void passed(BinlogTransaction transaction) {
        String gtid = transaction.gtid();
        if (gtid != null && last != null) {
            last.put(transaction.domain(), gtid);
        } else if (gtid != null && executed != null) {
            executed.add(gtid.substring(0, gtid.lastIndexOf(':')), transaction.sequence());
        }
    }

    /** Returns the facts at this position, or as they are if it is unknown. */
    PrimaryFacts of(PrimaryFacts facts) {
        if (last != null) {
            return facts.at(String.join(",", last.values()));
        }
        return executed == null ? facts : facts.at(executed.toString());
    }
}
