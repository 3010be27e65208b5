package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ServerFlavor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows the events of one stream and recognises complete transactions. It reads headers and the few bodies that
 * decide; compressed rows, large events and unknown events pass unread. A server that encrypts its binary log sends the
 * events decrypted. Not thread-safe.
 *
 * <p>A transaction begins with its GTID event. On both products it ends with an XID event, a query event of COMMIT or
 * ROLLBACK, or an XA PREPARE event. A transaction that is a single statement (a schema change, XA COMMIT) ends with its
 * one query event: MariaDB flags it in the GTID event, on MySQL no BEGIN precedes it. MySQL's compressed transaction is
 * a single event.
 */
final class BinlogParser {
    static final int MOST_STATEMENTS = 32;

    private enum Ending {
        NOT_YET,
        AT_LAST_BYTE
    }

    private final boolean mariadb;
    private final BooleanSupplier wantTables;
    private final Consumer<BinlogTransaction> out;
    private final TableMaps names = new TableMaps();
    private final GtidFields fields = new GtidFields();

    private int checksum;
    private boolean open;
    private boolean begun;
    private Ending ending = Ending.NOT_YET;
    private TransactionKind kind = TransactionKind.WRITE;
    private long serverId;
    private long bytes;
    private final Set<String> tables = new LinkedHashSet<>();
    private boolean tablesWanted;
    private boolean tablesKnown;
    private boolean statements;
    /** At most {@link #MOST_STATEMENTS}, and behind these an unread one if there are more. */
    private final List<LoggedStatement> logged = new ArrayList<>();

    private long seconds;
    private long thread;

    BinlogParser(ServerFlavor flavor, boolean wantTables, Consumer<BinlogTransaction> out) {
        this(flavor, () -> wantTables, out);
    }

    /** @param wantTables called at the begin of each transaction, for the whole of it */
    BinlogParser(ServerFlavor flavor, BooleanSupplier wantTables, Consumer<BinlogTransaction> out) {
        this.mariadb = flavor == ServerFlavor.MARIADB;
        this.wantTables = wantTables;
        this.out = out;
    }

    /** Returns whether a transaction has begun that is not complete. */
    boolean open() {
        return open;
    }

    /**
     * Called when an event begins.
     *
     * @param index of its header
     * @param shown bytes available from there
     * @throws IndexOutOfBoundsException if it is shorter than its type requires
     */
    void event(ByteBuf buf, int index, int shown) {
        if (shown < EventHeader.LENGTH) {
            throw new IndexOutOfBoundsException("an event of " + shown + " bytes has no room for its header");
        }
        long length = EventHeader.length(buf, index);
        int body = index + EventHeader.LENGTH;
        int end = index + (int) Math.min(shown, Math.max(EventHeader.LENGTH, length - checksum));
        int type = EventHeader.type(buf, index);
        switch (type) {
            case EventType.FORMAT_DESCRIPTION -> format(buf, index, (int) Math.min(shown, length), length);
            case EventType.MARIADB_GTID -> {
                fields.readMariaDb(buf, body, end, EventHeader.serverId(buf, index));
                begin(buf, index);
                begun = (fields.flags & GtidFields.STANDALONE) == 0;
            }
            case EventType.MYSQL_GTID, EventType.MYSQL_ANONYMOUS_GTID -> {
                fields.readMySql(buf, body, end, type == EventType.MYSQL_ANONYMOUS_GTID);
                begin(buf, index);
            }
            case EventType.MYSQL_TAGGED_GTID -> {
                fields.readTagged(buf, body, end);
                begin(buf, index);
            }
            default -> {
                if (open) {
                    within(type, buf, body, end, index + length - checksum <= end);
                }
            }
        }
        if (open) {
            bytes += length;
        }
    }

    /**
     * Called when the last byte of the event has arrived. Returns whether a transaction has ended with it.
     *
     * @param punctual whether it was read as it arrived, so that {@code receivedNanos} is its arrival
     */
    boolean eventEnd(long receivedNanos, boolean punctual) {
        if (ending == Ending.NOT_YET) {
            return false;
        }
        BinlogTransaction transaction = new BinlogTransaction(
                fields.gtid,
                kind,
                fields.domain,
                serverId,
                fields.sequence,
                fields.group,
                bytes,
                receivedNanos,
                punctual,
                Set.copyOf(tables),
                tablesKnown,
                statements,
                first(),
                seconds,
                thread);
        open = false;
        logged.clear();
        ending = Ending.NOT_YET;
        tables.clear();
        out.accept(transaction);
        return true;
    }

    private void begin(ByteBuf buf, int index) {
        open = true;
        begun = false;
        ending = Ending.NOT_YET;
        serverId = EventHeader.serverId(buf, index);
        bytes = 0;
        tables.clear();
        tablesWanted = wantTables.getAsBoolean();
        tablesKnown = tablesWanted;
        statements = false;
        logged.clear();
        seconds = 0;
        thread = fields.thread;
        kind = (fields.flags & GtidFields.PREPARED_XA) != 0
                ? TransactionKind.XA_PREPARE
                : (fields.flags & GtidFields.COMPLETED_XA) != 0 ? TransactionKind.XA_END : TransactionKind.WRITE;
    }

    private void within(int type, ByteBuf buf, int body, int end, boolean whole) {
        switch (type) {
            case EventType.XID -> complete();
            case EventType.XA_PREPARE -> {
                boolean onePhase = !mariadb && body < end && buf.getByte(body) != 0;
                kind = onePhase ? TransactionKind.WRITE : TransactionKind.XA_PREPARE;
                complete();
            }
            case EventType.TRANSACTION_PAYLOAD -> {
                tablesKnown = false; // they are compressed inside it
                thread = CompressedTransaction.thread(buf, body, end);
                complete();
            }
            case EventType.TABLE_MAP -> table(buf, body, end);
            case EventType.QUERY -> {
                thread = thread != 0 ? thread : QueryEvent.thread(buf, body, end);
                seconds = Math.max(seconds, QueryEvent.seconds(buf, body, end));
                if (query(QueryEvent.start(buf, body, end)) && tablesWanted) {
                    log(
                            logged.size() < MOST_STATEMENTS
                                    ? QueryEvent.statement(buf, body, end, whole)
                                    : LoggedStatement.UNREAD);
                }
            }
            case EventType.QUERY_COMPRESSED -> {
                thread = thread != 0 ? thread : QueryEvent.thread(buf, body, end);
                seconds = Math.max(seconds, QueryEvent.seconds(buf, body, end));
                // Never BEGIN or COMMIT, which are too short to compress.
                if (query("") && tablesWanted) {
                    log(LoggedStatement.UNREAD);
                }
            }
            case EventType.EXECUTE_LOAD_QUERY -> {
                statement();
                log(LoggedStatement.UNREAD);
            }
            default -> {
                if (EventType.isUnknown(type, mariadb)) {
                    tablesKnown = false;
                }
                // Others are rows, annotations and variables of the next statement.
            }
        }
    }

    /**
     * Handles the text of a query event. Returns whether it is a statement with an effect of its own, not BEGIN, COMMIT
     * or the like.
     */
    private boolean query(String text) {
        if (text.equals("COMMIT") || text.equals("ROLLBACK")) {
            complete();
            return false;
        } else if (text.equals("BEGIN")) {
            begun = true;
            return false;
        } else if (!begun && text.startsWith("XA START")) {
            begun = true;
            kind = TransactionKind.XA_PREPARE;
            return false;
        } else if (!begun) {
            kind = kind == TransactionKind.XA_END || text.startsWith("XA COMMIT") || text.startsWith("XA ROLLBACK")
                    ? TransactionKind.XA_END
                    : TransactionKind.SCHEMA;
            tablesKnown = false;
            complete();
        } else if (!mariadb && text.startsWith("CREATE ")) {
            kind = TransactionKind.SCHEMA; // CREATE TABLE … SELECT, one transaction since 8.0.21
            tablesKnown = false;
        } else if (!text.startsWith("SAVEPOINT") && !text.startsWith("ROLLBACK TO") && !text.startsWith("XA ")) {
            statement();
        } else {
            return false;
        }
        return true;
    }

    private void statement() {
        statements = true;
        tablesKnown = false;
    }

    private void table(ByteBuf buf, int body, int end) {
        if (!tablesWanted) {
            return;
        }
        String name = names.read(buf, body, end);
        if (name == null || tables.size() == BinlogTransaction.MAX_TABLES && !tables.contains(name)) {
            tablesKnown = false;
        } else {
            tables.add(name);
        }
    }

    private void log(LoggedStatement statement) {
        if (logged.size() <= MOST_STATEMENTS) {
            logged.add(logged.size() < MOST_STATEMENTS ? statement : LoggedStatement.UNREAD);
        }
    }

    /** Returns the first logged statement, which leads to the others; null if there is none, or it was not read. */
    @SuppressWarnings("ReferenceEquality") // UNREAD is a mark
    private @Nullable LoggedStatement first() {
        if (logged.isEmpty() || logged.get(0) == LoggedStatement.UNREAD) {
            return null;
        }
        LoggedStatement first = null;
        for (int i = logged.size() - 1; i >= 0; i--) {
            first = logged.get(i).before(first);
        }
        return first;
    }

    private void complete() {
        ending = Ending.AT_LAST_BYTE;
    }

    /**
     * Handles the begin of a file, perhaps of a restarted server: it decides the checksum of its events, and table ids
     * start anew.
     */
    private void format(ByteBuf buf, int index, int shown, long length) {
        names.clear();
        checksum = EventHeader.checksumBytes(buf, index, shown, length);
    }
}
