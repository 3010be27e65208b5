package io.understudy.plugins.gtiddomain.parallelism;

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

/** The last transactions of a binary log, reduced to the data that the simulation needs. Thread-safe. */
public final class Workload {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer(2_048, 64);

    /**
     * A transaction of the log.
     *
     * @param gtid its GTID
     * @param domain its domain
     * @param group commit group, or {@link BinlogTransaction#NO_GROUP}
     * @param schemaChange whether it is one, beside which a replica runs nothing else
     * @param micros time that a worker needs for it
     * @param bytes in the binary log
     * @param what kind of statement and tables; empty for a short one
     */
    public record Entry(
            String gtid, long domain, long group, boolean schemaChange, long micros, long bytes, String what) {}

    private final int limit;
    private final ApplyCost cost;
    private final Deque<Entry> entries = new ArrayDeque<>();

    /** @param limit number of transactions retained; older ones are dropped */
    public Workload(int limit, ApplyCost cost) {
        this.limit = limit;
        this.cost = cost;
    }

    public ApplyCost cost() {
        return cost;
    }

    /** Adds the next transaction. */
    public void add(BinlogTransaction transaction) {
        long micros = cost.of(transaction);
        // Reports name only long transactions.
        String what = micros >= ParallelismReport.ALWAYS_NAMED ? what(transaction) : "";
        Entry entry = new Entry(
                transaction.gtid() == null ? "anonymous" : transaction.gtid(),
                transaction.domain(),
                transaction.group(),
                transaction.kind() == TransactionKind.SCHEMA,
                micros,
                transaction.bytes(),
                what);
        synchronized (this) {
            entries.addLast(entry);
            if (entries.size() > limit) {
                entries.removeFirst();
            }
        }
    }

    /** Returns the retained transactions, oldest first. */
    public synchronized List<Entry> entries() {
        return new ArrayList<>(entries);
    }

    private static String what(BinlogTransaction transaction) {
        LoggedStatement statement = transaction.statement();
        if (statement == null) {
            return "rows of " + String.join(", ", transaction.tables());
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
