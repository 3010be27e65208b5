package io.understudy.unplanned;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.EventType;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.sql.Quoting;
import io.understudy.wire.MalformedPacketException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The statements with which a client's session applies transactions of a binary log, as the servers' own tools print
 * them: rows by BINLOG, statements with their settings, all under the transaction's own GTID. Used by one thread, for
 * one session.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/binlog.html">MySQL: BINLOG Statement</a>
 */
final class TransactionStatements {
    private static final int INTVAR = 5;
    private static final int RAND = 13;
    private static final int ROWS_QUERY = 29;
    private static final int IGNORABLE = 0x80;
    private static final int STANDALONE = 1;
    private static final int MARIADB_FLAGS = 12;
    /** It changes nothing, and MariaDB logs it under a number: no empty transaction has one there. */
    private static final String NOTHING = "FLUSH TABLES understudy.nothing";

    private static final String NO_GTID = "SET SESSION gtid_next='AUTOMATIC'";

    private final boolean mariaDb;
    private final ServerFlavor flavor;
    /** Values by variable, as the session has them. */
    private final Map<String, String> session = new HashMap<>();

    private String schema = "";
    /** MariaDB: the statement that set the session's domain and server id. */
    private String present = "";

    private final LoggedTemporaryTables temporary;
    private byte[] format = {};
    private boolean cascadeTriggers;

    TransactionStatements(ServerFlavor flavor, LoggedTemporaryTables.Permanent permanent) {
        this.flavor = flavor;
        temporary = new LoggedTemporaryTables(flavor, permanent);
        mariaDb = flavor == ServerFlavor.MARIADB;
    }

    /**
     * Returns the statements of one transaction; the first ones open it, and the last one commits, or on MariaDB notes
     * it.
     *
     * @throws NotApplicable if a client's session cannot apply it; then none of its statements may be executed
     */
    List<String> of(MissingTransaction transaction, byte[] events) throws NotApplicable, SQLException {
        try {
            return statements(transaction, events);
        } catch (NotApplicable e) {
            throw new NotApplicable(transaction.gtid() + " is " + e.getMessage());
        } catch (IndexOutOfBoundsException | IllegalArgumentException | MalformedPacketException e) {
            throw new NotApplicable(transaction.gtid() + " has an event that cannot be read (" + e + ")");
        }
    }

    private List<String> statements(MissingTransaction transaction, byte[] events) throws NotApplicable, SQLException {
        BinlogTransaction summary = transaction.summary();
        if (summary.kind() == TransactionKind.XA_PREPARE || summary.kind() == TransactionKind.XA_END) {
            throw new NotApplicable("a phase of XA");
        }
        List<String> out = new ArrayList<>();
        int checksum = EventHeader.checksumBytes(transaction.format());
        if (transaction.format() != format) {
            if (!mariaDb && format.length > 0) {
                out.add(NO_GTID); // MySQL refuses BINLOG under the number of a transaction that has ended
            }
            format = transaction.format();
            cascadeTriggers = !mariaDb && isFrom97(format);
            out.add(RowStatements.binlog(List.of(new RawEvent(format)), false));
        }
        RowStatements rows = new RowStatements(out, checksum > 0);
        boolean begun = false;
        boolean ended = false;
        boolean changes = false;
        int settings = 0; // that the next statement alone has
        for (RawEvent event : events(events, checksum)) {
            int type = event.type();
            if (EventType.beginsTransaction(type)) {
                begun = mariaDb && (event.buffer().getByte(RawEvent.HEADER + MARIADB_FLAGS) & STANDALONE) == 0;
                gtid(summary, out);
                if (begun) {
                    out.add("START TRANSACTION");
                }
            } else if (type == EventType.QUERY || type == EventType.QUERY_COMPRESSED) {
                LoggedQuery query = LoggedQuery.of(flavor, type == EventType.QUERY ? event : Inflated.query(event));
                String word = query.text().strip().toUpperCase(Locale.ROOT);
                if (word.equals("BEGIN")) {
                    begun = true;
                    out.add(word);
                } else if (word.equals("COMMIT") || word.equals("ROLLBACK")) {
                    ended = true;
                    end(word, changes, out);
                } else {
                    LoggedTemporaryTables.Touched touched = temporary.of(summary.serverId(), query);
                    boolean permanent = touched == LoggedTemporaryTables.Touched.PERMANENT;
                    changes |= permanent;
                    if (begun && !ended && permanent && word.startsWith("CREATE ")) {
                        throw new NotApplicable(
                                "CREATE TABLE … SELECT with its rows, which a session commits in two parts");
                    }
                    if (touched == LoggedTemporaryTables.Touched.NOTHING) {
                        out.subList(settings, out.size()).clear();
                    } else {
                        query(query, out);
                    }
                    if (!begun && !changes) {
                        out.addAll(mariaDb ? List.of(NOTHING) : List.of("BEGIN", "COMMIT"));
                    }
                }
            } else if (type == EventType.XID) {
                ended = true;
                end("COMMIT", changes, out);
            } else if (type == EventType.TABLE_MAP || EventType.holdsRows(type)) {
                changes = true;
                rows.add(type >= Inflated.FIRST_ROWS && type <= Inflated.LAST_ROWS ? Inflated.rows(event) : event);
            } else {
                statement(event, out);
                continue;
            }
            settings = out.size();
        }
        return out;
    }

    private void end(String word, boolean changes, List<String> out) {
        out.add(word);
        if (mariaDb && !changes) {
            out.add(NOTHING);
        }
    }

    /** Returns the events, with those of a compressed transaction in the place of its one event. */
    private static List<RawEvent> events(byte[] bytes, int checksum) throws NotApplicable {
        List<RawEvent> events = new ArrayList<>();
        int end;
        for (int at = 0; at < bytes.length; at = end) {
            end = at + (int) EventHeader.length(Unpooled.wrappedBuffer(bytes), at);
            RawEvent event = RawEvent.sized(Arrays.copyOfRange(bytes, at, end - checksum));
            if (event.type() == EventType.TRANSACTION_PAYLOAD) {
                events.addAll(events(Inflated.transaction(event), 0));
            } else {
                events.add(event);
            }
        }
        return events;
    }

    /** Reads the server's version in a format description event: behind a number (2), of three numbers with points. */
    private static boolean isFrom97(byte[] format) {
        String[] parts = new String(format, RawEvent.HEADER + 2, 50, StandardCharsets.ISO_8859_1).split("\\.");
        int major = Integer.parseInt(parts[0]);
        return major > 9 || major == 9 && Integer.parseInt(parts[1]) >= 7;
    }

    private void gtid(BinlogTransaction summary, List<String> out) {
        if (!mariaDb) {
            out.add("SET SESSION gtid_next=" + Quoting.text(String.valueOf(summary.gtid())));
            return;
        }
        // With gtid_strict_mode the number is checked against the domain and server that the session has by then.
        String stream = "SET SESSION gtid_domain_id=" + summary.domain() + ", server_id=" + summary.serverId();
        if (!stream.equals(present)) {
            present = stream;
            out.add(stream);
        }
        // From 11.5 on it is logged with rows, too: a proxy finds there whose transaction it was.
        String thread = Long.toString(summary.thread());
        String by = thread.equals(session.put("pseudo_thread_id", thread)) ? "" : "pseudo_thread_id=" + thread + ", ";
        out.add("SET SESSION " + by + "gtid_seq_no=" + Long.toUnsignedString(summary.sequence()));
    }

    private void query(LoggedQuery query, List<String> out) {
        Map<String, String> wanted = new HashMap<>(query.settings());
        if (query.thread() != 0) {
            wanted.put("pseudo_thread_id", Long.toString(query.thread()));
        }
        for (String rare : List.of("sql_if_exists", "system_versioning_insert_history")) {
            if (session.containsKey(rare)) {
                wanted.putIfAbsent(rare, "0");
            }
        }
        if (session.containsKey("time_zone")) {
            wanted.putIfAbsent("time_zone", "DEFAULT");
        }
        if (!cascadeTriggers) {
            wanted.remove(LoggedQuery.CASCADE_TRIGGERS);
        }
        List<String> changes = new ArrayList<>();
        wanted.forEach((name, value) -> {
            if (!value.equals(session.put(name, value))) {
                changes.add("@@SESSION." + name + "=" + value);
            }
        });
        if (!changes.isEmpty()) {
            out.add("SET " + String.join(", ", changes));
        }
        if (!query.schema().isEmpty() && !query.schema().equals(schema)) {
            schema = query.schema();
            out.add("USE " + Quoting.name(schema));
        }
        out.add(query.text());
    }

    /** Adds what a statement-based event of another kind says. */
    private static void statement(RawEvent event, List<String> out) throws NotApplicable {
        ByteBuf body = event.body();
        switch (event.type()) {
            case INTVAR -> {
                String variable = body.readByte() == 1 ? "LAST_INSERT_ID" : "INSERT_ID";
                out.add("SET " + variable + "=" + Long.toUnsignedString(body.readLongLE()));
            }
            case RAND ->
                out.add("SET @@SESSION.rand_seed1=" + Long.toUnsignedString(body.readLongLE())
                        + ", @@SESSION.rand_seed2=" + Long.toUnsignedString(body.readLongLE()));
            case ROWS_QUERY, EventType.ANNOTATE_ROWS -> {} // the text of what changed rows
            default -> {
                if ((event.flags() & IGNORABLE) == 0) {
                    throw new NotApplicable("logged as a statement with an event of type " + event.type()
                            + " (14: a user variable, 17 and 18: LOAD DATA), which a session cannot repeat");
                }
            }
        }
    }
}
