package io.understudy.plugins.blackbox.lost;

import io.understudy.plugins.binlog.EventType;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.servers.MariaDbGtid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * Statements in a rescue file for MariaDB that have the server refuse a second replay. MySQL skips transactions whose
 * GTIDs it has; MariaDB executes them again, unless {@code gtid_strict_mode} is on.
 *
 * <p>A server with a binary log shows there what was replayed. On one without, or if the session has
 * {@code sql_log_bin=0}, a client's transactions change no position, so the file sets {@code gtid_slave_pos} behind
 * each of them. Only servers whose replication is stopped allow that, which is tried before the first transaction.
 *
 * <p>{@code CREATE TABLE … SELECT} is one transaction, with its rows, and a session logs it as two: the rows get the
 * next number, which another transaction has. So it is refused unless nothing is logged.
 *
 * <p>Source: MariaDB documentation, "QUERY_EVENT" and "Format Description Event".
 */
public final class ReplayGuard {
    private static final int QUERY_EVENT = 2;
    private static final int HEADER = 19;
    private static final int TYPE_AT = 4;
    private static final int LENGTH_AT = 9;
    private static final int GTID_FLAGS_AT = HEADER + 12;
    private static final int STANDALONE = 1;
    private static final int SUPPRESS_USE = 8;
    private static final int SQL_MODE_CODE = 1;
    private static final int CRC32_ALGORITHM = 1;
    private static final int CHECKSUM = 4;

    private static final String REFUSAL =
            "this server has transactions of this rescue file already, nothing was executed: make a new file";

    private static final String LACKS =
            "this server lacks transactions in front of those of this rescue file, nothing was"
                    + " executed: make a file for this server, with --on";

    private static final String SPLITS = "CREATE TABLE ... SELECT would get two numbers: make a new file, and replay it"
            + " after SET sql_log_bin=0";

    private static final String CREATE = "CREATE ";
    private static final String LOGS = "(@@global.log_bin AND @@session.sql_log_bin)";

    private ReplayGuard() {}

    /** Returns whether a transaction is {@code CREATE TABLE … SELECT} with rows. A compressed text counts as CREATE. */
    public static boolean isSplit(byte[] events) {
        if (events.length <= GTID_FLAGS_AT || (events[GTID_FLAGS_AT] & STANDALONE) != 0) {
            return false;
        }
        ByteBuffer buffer = ByteBuffer.wrap(events).order(ByteOrder.LITTLE_ENDIAN);
        int at = buffer.getInt(LENGTH_AT);
        int type = at < events.length ? events[at + TYPE_AT] & 0xff : 0;
        if (type != QUERY_EVENT && type != EventType.QUERY_COMPRESSED || type == QUERY_EVENT && !creates(events, at)) {
            return false;
        }
        while (at < events.length && events[at + TYPE_AT] != EventType.TABLE_MAP) {
            at += buffer.getInt(at + LENGTH_AT);
        }
        return at < events.length;
    }

    private static boolean creates(byte[] events, int query) {
        int fixed = query + HEADER;
        int status = events[fixed + 11] & 0xff | (events[fixed + 12] & 0xff) << 8;
        int text = fixed + 13 + status + (events[fixed + 8] & 0xff) + 1;
        return new String(events, text, CREATE.length(), StandardCharsets.US_ASCII).equals(CREATE);
    }

    /** Returns an event that fails if the next transaction would be logged. */
    static byte[] beforeSplit(byte[] format) {
        return query("IF " + LOGS + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT='" + SPLITS + "'; END IF", format);
    }

    /**
     * Returns an event that fails if the server has one of the transactions, lacks some of those that the server has
     * for which the file was made, or cannot note what it has.
     *
     * @param position of the server for which the file was made
     */
    static byte[] before(List<KeptTransaction> transactions, String position, byte[] format) {
        Map<String, Long> first = new LinkedHashMap<>();
        for (KeptTransaction each : transactions) {
            first.merge(each.gtid.domain() + "-" + each.gtid.server(), each.gtid.number(), Math::min);
        }
        String has = first.entrySet().stream()
                .map(each -> "CAST(SUBSTRING_INDEX(REGEXP_SUBSTR(@understudy_has,'," + each.getKey()
                        + "-[0-9]+'),'-',-1) AS UNSIGNED)>=" + each.getValue())
                .collect(Collectors.joining(" OR "));
        return query(
                "BEGIN NOT ATOMIC "
                        + "SET @understudy_has=CONCAT(',',@@global.gtid_binlog_state); IF " + has
                        + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT='" + REFUSAL + "'; END IF; "
                        + "SET @understudy_has=CONCAT(',',@@global.gtid_slave_pos); IF " + has
                        + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT='" + REFUSAL + "'; END IF; "
                        + lacks(transactions, position)
                        + "IF NOT " + LOGS + " THEN SET GLOBAL gtid_slave_pos=@@global.gtid_slave_pos; END IF; END",
                format);
    }

    /** Replication from a new primary would begin behind the file, and leave out what is in front of it. */
    private static String lacks(List<KeptTransaction> transactions, String position) {
        StringBuilder all = new StringBuilder();
        MariaDbGtid.sequences(position).forEach((domain, number) -> {
            if (transactions.stream().anyMatch(each -> each.gtid.domain() == domain)) {
                String one = "'," + domain + "-[0-9]+-[0-9]+'";
                all.append("SET @understudy_has=CONCAT(',',@@global.gtid_slave_pos,',',@@global.gtid_binlog_state),"
                                + "@understudy_number=0; WHILE @understudy_has REGEXP ")
                        .append(one)
                        .append(" DO SET @understudy_one=REGEXP_SUBSTR(@understudy_has,")
                        .append(one)
                        .append("); SET @understudy_number=GREATEST(@understudy_number,CAST(SUBSTRING_INDEX("
                                + "@understudy_one,'-',-1) AS UNSIGNED)),@understudy_has=REGEXP_REPLACE("
                                + "@understudy_has,CONCAT('^.*?',@understudy_one,'(?=,|$)'),''); END WHILE;"
                                + " IF @understudy_number<")
                        .append(number)
                        .append(" THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT='" + LACKS + "'; END IF; ");
            }
        });
        return all.toString();
    }

    /** Returns an event that notes the transaction before it where that is not logged. */
    static byte[] behind(Gtid gtid, byte[] format) {
        return query(
                "IF NOT " + LOGS + " THEN SET GLOBAL gtid_slave_pos=CONCAT_WS(',',NULLIF(TRIM(BOTH ',' FROM"
                        + " REGEXP_REPLACE(CONCAT(',',@@global.gtid_slave_pos),'," + gtid.domain()
                        + "-[0-9]+-[0-9]+','')),''),'" + gtid.text() + "'); END IF",
                format);
    }

    /** @param format the format description event, whose last bytes name the checksum of the events */
    private static byte[] query(String sql, byte[] format) {
        byte[] text = sql.getBytes(StandardCharsets.US_ASCII);
        int at = format.length - CHECKSUM - 1;
        boolean checksum = at >= 0 && format[at] == CRC32_ALGORITHM;
        int status = 1 + Long.BYTES;
        int size = HEADER + 13 + status + 1 + text.length + (checksum ? CHECKSUM : 0);
        ByteBuffer event = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        event.putInt(0).put((byte) QUERY_EVENT).putInt(0).putInt(size).putInt(0).putShort((short) SUPPRESS_USE);
        event.putInt(0).putInt(0).put((byte) 0).putShort((short) 0).putShort((short) status);
        event.put((byte) SQL_MODE_CODE).putLong(0).put((byte) 0).put(text);
        if (checksum) {
            CRC32 crc = new CRC32();
            crc.update(event.array(), 0, size - CHECKSUM);
            event.putInt((int) crc.getValue());
        }
        return event.array();
    }
}
