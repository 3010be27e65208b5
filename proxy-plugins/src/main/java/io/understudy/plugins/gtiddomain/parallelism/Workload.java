package io.understudy.plugins.gtiddomain.parallelism;

import io.understudy.plugins.binlog.ApplyHints;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
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
     * @param gtid its GTID
     * @param domain its domain
     * @param sequence its number within the domain
     * @param group commit group, or {@link BinlogTransaction#NO_GROUP}
     * @param schemaChange whether it is one, beside which a replica runs nothing else
     * @param statements whether it is logged as statements that are no schema change
     * @param micros time that a worker needs for it
     * @param bytes in the binary log
     * @param what kind of statement and tables; empty for a short one
     * @param tables whose rows it changes
     * @param hints for parallel apply
     * @param distance how many transactions before it the last one is that changed the same row; 0 for none
     * @param arrivedNanos monotonic arrival of its last event
     * @param change a schema change's text, or null
     */
    public record Entry(
            String gtid,
            long domain,
            long sequence,
            long group,
            boolean schemaChange,
            boolean statements,
            long micros,
            long bytes,
            String what,
            Set<String> tables,
            ApplyHints hints,
            int distance,
            long arrivedNanos,
            @Nullable LoggedStatement change) {

        /** Returns kind and tables of any transaction. */
        public String label() {
            return what.isEmpty() ? rowsOf(tables) : what;
        }

        /** Returns it with another duration, perhaps beside others although it is a schema change. */
        public Entry taking(long otherMicros, boolean alone) {
            return new Entry(
                    gtid,
                    domain,
                    sequence,
                    group,
                    alone,
                    statements,
                    otherMicros,
                    bytes,
                    what,
                    tables,
                    hints,
                    distance,
                    arrivedNanos,
                    change);
        }

        /** Returns it as the simulation takes it. Transactions of one commit group change different rows. */
        public AppliedTransaction applied(boolean optimistic) {
            return optimistic
                    ? new AppliedTransaction(gtid, micros, !hints.parallel() || hints.waited(), distance)
                    : new AppliedTransaction(gtid, micros);
        }
    }

    private final int limit;
    private final ApplyCost cost;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final RowHistory rows = new RowHistory();

    /** @param limit number of transactions retained; older ones are dropped */
    public Workload(int limit, ApplyCost cost) {
        this.limit = limit;
        this.cost = cost;
    }

    public ApplyCost cost() {
        return cost;
    }

    /** Adds the next transaction and returns it. */
    public synchronized Entry add(BinlogTransaction transaction) {
        long micros = cost.of(transaction);
        boolean schemaChange = transaction.kind() == TransactionKind.SCHEMA;
        // Reports name only long transactions and schema changes.
        String what = schemaChange || micros >= ParallelismReport.ALWAYS_NAMED ? what(transaction) : "";
        Entry entry = new Entry(
                transaction.gtid() == null ? "anonymous" : transaction.gtid(),
                transaction.domain(),
                transaction.sequence(),
                transaction.group(),
                schemaChange,
                transaction.statements(),
                micros,
                transaction.bytes(),
                what,
                transaction.tables(),
                transaction.hints(),
                rows.add(transaction.hints().rows()),
                transaction.lastNanos(),
                schemaChange ? transaction.statement() : null);
        entries.addLast(entry);
        if (entries.size() > limit) {
            entries.removeFirst();
        }
        return entry;
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
