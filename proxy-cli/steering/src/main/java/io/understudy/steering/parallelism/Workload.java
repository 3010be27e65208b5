package io.understudy.steering.parallelism;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogFile;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The last transactions of a binary log, reduced to the data that the simulation needs. Thread-safe. */
public final class Workload {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer(2_048, 64);

    /**
     * A transaction of the log.
     *
     * @param group commit group, or {@link BinlogTransaction#NO_GROUP}
     * @param thread the connection that wrote it; 0 if that is not logged
     * @param arrivedNanos monotonic arrival of its last event; 0 if it was read from a file
     * @param schemaChange whether it is one, beside which a replica runs nothing else
     * @param statements whether it is logged as statements that are no schema change
     * @param bytes in the binary log
     * @param what kind of statement and tables; empty for a short one
     * @param tables whose rows it changes
     * @param change a schema change's text, or null
     * @param hints for parallel apply, without the hashes of its rows
     * @param micros time that a worker needs for it
     * @param distance how many transactions before it the last one is that changed the same row; 0 for none
     */
    public record Entry(
            String gtid,
            long domain,
            long sequence,
            long group,
            long thread,
            long arrivedNanos,
            boolean schemaChange,
            boolean statements,
            long bytes,
            String what,
            Set<String> tables,
            @Nullable LoggedStatement change,
            ApplyHints hints,
            long micros,
            int distance) {

        /** Returns a small transaction of which no more is known than its place. */
        public static Entry small(long domain, long sequence, long arrivedNanos) {
            return new Entry(
                    domain + "-?-" + sequence,
                    domain,
                    sequence,
                    BinlogTransaction.NO_GROUP,
                    0,
                    arrivedNanos,
                    false,
                    false,
                    0,
                    "a small transaction",
                    Set.of(),
                    null,
                    ApplyHints.NONE,
                    0,
                    0);
        }

        private Entry with(boolean otherChange, long otherMicros, int otherDistance) {
            return new Entry(
                    gtid,
                    domain,
                    sequence,
                    group,
                    thread,
                    arrivedNanos,
                    otherChange,
                    statements,
                    bytes,
                    what,
                    tables,
                    change,
                    hints,
                    otherMicros,
                    otherDistance);
        }

        /** Returns kind and tables of any transaction. */
        public String label() {
            return what.isEmpty() ? rowsOf(tables) : what;
        }

        /** Returns it with another duration. */
        public Entry taking(long otherMicros) {
            return with(schemaChange, otherMicros, distance);
        }

        /** Returns a piece of it. */
        public Entry piece(long ofMicros) {
            return with(schemaChange, ofMicros, 0);
        }

        /** Returns it as one that runs beside others although it is a schema change. */
        public Entry besideOthers() {
            return with(false, micros, distance);
        }

        /**
         * Returns it as the simulation takes it.
         *
         * @param inGroup number of its group
         * @param optimistic whether rows of its group may conflict; transactions of one commit group change different
         *     rows
         */
        AppliedTransaction applied(long inGroup, boolean optimistic) {
            return optimistic
                    ? new AppliedTransaction(
                            gtid, domain, inGroup, micros, !hints.parallel() || hints.waited(), distance)
                    : new AppliedTransaction(gtid, domain, inGroup, micros, false, 0);
        }
    }

    private final int limit;
    private final ApplyCost cost;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final RowHistory rows = new RowHistory();
    private long added;
    private boolean ofMySql;

    /** @param limit number of transactions retained; older ones are dropped */
    public Workload(int limit, ApplyCost cost) {
        this.limit = limit;
        this.cost = cost;
    }

    public ApplyCost cost() {
        return cost;
    }

    /**
     * Adds the transactions of a binary log file.
     *
     * @throws IOException if the file cannot be read, is no binary log, or is encrypted
     */
    public void read(Path file) throws IOException {
        LoggedHints hints = new LoggedHints();
        BinlogFile.read(file, hints, transaction -> add(transaction, hints.of(transaction)));
    }

    /** Says whose log it is, before its first transaction, which may never come. */
    public synchronized void isOf(ServerFlavor product) {
        ofMySql = product == ServerFlavor.MYSQL;
    }

    /** Adds the next transaction and returns it. */
    public synchronized Entry add(BinlogTransaction transaction, ApplyHints hints) {
        long micros = cost.of(transaction, hints.alter());
        boolean schemaChange = transaction.kind() == TransactionKind.SCHEMA;
        // Reports name only long transactions and schema changes.
        String what = schemaChange || micros >= ParallelismReport.ALWAYS_NAMED ? what(transaction) : "";
        Entry entry = new Entry(
                transaction.gtid() == null ? "anonymous" : transaction.gtid(),
                transaction.domain(),
                transaction.sequence(),
                transaction.group(),
                transaction.thread(),
                transaction.lastNanos(),
                schemaChange,
                transaction.statements(),
                transaction.bytes(),
                what,
                transaction.tables(),
                schemaChange ? transaction.statement() : null,
                hints.withoutRows(),
                micros,
                rows.add(hints.rows()));
        added++;
        ofMySql = transaction.ofMySql();
        entries.addLast(entry);
        if (entries.size() > limit) {
            entries.removeFirst();
        }
        return entry;
    }

    /** Returns the number of transactions since the start, those included that are not retained any more. */
    public synchronized long added() {
        return added;
    }

    /** Returns whether it is a MySQL server's log, as far as is known. */
    public synchronized boolean ofMySql() {
        return ofMySql;
    }

    /** Returns the retained transactions, oldest first. */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries);
    }

    private static String rowsOf(Set<String> tables) {
        return tables.isEmpty() ? "tables that are not known" : "rows of " + String.join(", ", new TreeSet<>(tables));
    }

    private static String what(BinlogTransaction transaction) {
        LoggedStatement statement = transaction.statement();
        if (statement == null) {
            return rowsOf(transaction.tables());
        }
        // Kind and tables but no text: readers of the report need no access to SQL text.
        byte[] text = statement.text().getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = ANALYZER.summarize(text, 0, text.length, 0);
        StringBuilder what = new StringBuilder(summary.kind().name().toLowerCase(Locale.ROOT));
        for (TableName table : summary.writes()) {
            String schema = table.schema() == null ? statement.schema() : table.schema();
            what.append(' ').append(schema).append('.').append(table.table());
        }
        return what.toString();
    }
}
