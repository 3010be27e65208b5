package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The position that a stream has reached, in the form in which a stream is requested. Not thread-safe. */
final class StreamPosition {
    /** MariaDB: the last GTID of each domain; null on MySQL. */
    private final @Nullable Map<Long, String> last;

    private final GtidNumbers executed;

    private StreamPosition(@Nullable Map<Long, String> last, GtidNumbers executed) {
        this.last = last;
        this.executed = executed;
    }

    /** @throws IllegalArgumentException if the text is no position */
    static StreamPosition parse(ServerFlavor flavor, String text) {
        if (flavor != ServerFlavor.MARIADB) {
            return new StreamPosition(null, GtidNumbers.ofMySql(text));
        }
        Map<Long, String> last = new LinkedHashMap<>();
        for (String gtid : text.split(",")) {
            if (!gtid.isBlank()) {
                String plain = gtid.strip();
                int dash = plain.indexOf('-');
                if (dash < 0) {
                    throw new IllegalArgumentException("'" + plain + "' is no MariaDB GTID");
                }
                last.put(Long.parseLong(plain.substring(0, dash)), plain);
            }
        }
        return new StreamPosition(last, new GtidNumbers());
    }

    void passed(BinlogTransaction transaction) {
        String gtid = transaction.gtid();
        if (gtid == null) {
            return;
        }
        if (last != null) {
            last.put(transaction.domain(), gtid);
        } else {
            executed.add(gtid.substring(0, gtid.lastIndexOf(':')), transaction.sequence());
        }
    }

    @Override
    public String toString() {
        return last != null ? String.join(",", last.values()) : executed.toString();
    }
}
