package io.understudy.plugins.binlog;

import java.util.Set;

/** Transactions that a test makes from their place, size and tables alone. */
public final class Transactions {
    private Transactions() {}

    public static BinlogTransaction of(
            String gtid,
            TransactionKind kind,
            long domain,
            long serverId,
            long sequence,
            long group,
            long bytes,
            long nanos,
            Set<String> tables,
            boolean tablesKnown) {
        return new BinlogTransaction(
                gtid,
                kind,
                domain,
                serverId,
                sequence,
                group,
                bytes,
                nanos,
                true,
                tables,
                tablesKnown,
                false,
                null,
                0,
                0);
    }
}
