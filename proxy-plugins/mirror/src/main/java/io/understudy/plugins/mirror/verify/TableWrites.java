package io.understudy.plugins.mirror.verify;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.servers.GtidNumbers;
import io.understudy.sql.TableName;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * When each table was last written, by the primary's binary log. An event that does not name its tables (a schema
 * change, a logged statement, XA, a gap) counts as a write to all tables. Thread-safe.
 */
final class TableWrites implements BinlogListener {
    private static final int TABLES = 20_000;

    private final Map<String, Long> written = new HashMap<>();
    private GtidNumbers seen = new GtidNumbers();
    private ServerFlavor flavor = ServerFlavor.MARIADB;
    private boolean streaming;
    private long allNanos;

    @Override
    public synchronized void onStart(PrimaryFacts facts) {
        everything();
        flavor = facts.flavor();
        seen = GtidNumbers.upTo(flavor, facts.position());
        streaming = facts.gtids(); // without GTIDs no position is certain
    }

    @Override
    public synchronized void onGap(BinlogTrouble trouble) {
        streaming = false;
        everything();
    }

    private void everything() {
        written.clear();
        allNanos = System.nanoTime();
    }

    @Override
    public synchronized void onTransaction(BinlogTransaction transaction) {
        boolean rows =
                transaction.kind() == TransactionKind.WRITE && transaction.tablesKnown() && !transaction.statements();
        if (!rows || written.size() > TABLES) {
            everything();
        } else {
            long now = System.nanoTime();
            transaction.tables().forEach(table -> written.put(table.toLowerCase(Locale.ROOT), now));
        }
        seen(transaction);
        notifyAll();
    }

    /** Without a GTID it belongs to no position. */
    private void seen(BinlogTransaction transaction) {
        String gtid = transaction.gtid();
        if (flavor == ServerFlavor.MARIADB) {
            // A domain's log is in order, so all before it were seen too.
            seen.add(String.valueOf(transaction.domain()), 1, transaction.sequence());
        } else if (gtid != null) {
            seen.add(gtid.substring(0, gtid.lastIndexOf(':')).toLowerCase(Locale.ROOT), transaction.sequence());
        }
    }

    /** Returns whether none of the tables was written after {@code nanos}, as far as the log was seen. */
    synchronized boolean quietSince(List<TableName> tables, long nanos) {
        if (!streaming || allNanos - nanos > 0) {
            return false;
        }
        for (TableName table : tables) {
            Long last = written.get((table.schema() + "." + table.table()).toLowerCase(Locale.ROOT));
            if (last != null && last - nanos > 0) {
                return false;
            }
        }
        return true;
    }

    /** Waits until the log was seen up to a position. Returns false after {@code millis}. */
    synchronized boolean await(String position, long millis) throws InterruptedException {
        GtidNumbers goal = GtidNumbers.upTo(flavor, position);
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (streaming && !goal.minus(seen).isEmpty()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return streaming;
    }
}
