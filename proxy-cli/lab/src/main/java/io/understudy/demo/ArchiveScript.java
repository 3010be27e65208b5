package io.understudy.demo;

import io.understudy.demo.LoadCounters.Kind;
import java.sql.SQLException;

/**
 * A batch job that copies old orders to {@code shop.archive}, revises them and drops the oldest. No other session
 * writes that table, so it suits a GTID domain of its own.
 */
final class ArchiveScript implements LoadSession.Script {

    private static final int BATCH = 200;
    /** Batches kept before the oldest is dropped. */
    private static final int KEPT = 10;

    private final int orderCount;
    private int batch;

    ArchiveScript(int orderCount) {
        this.orderCount = orderCount;
    }

    @Override
    public void step(LoadSession session) throws SQLException {
        session.text(
                Kind.ARCHIVE,
                "INSERT IGNORE INTO shop.archive SELECT id, customer_id, total, note, NOW() FROM shop.orders WHERE id"
                        + range(batch));
        session.text(Kind.ARCHIVE, "UPDATE shop.archive SET note = CONCAT('archived ', id) WHERE id" + range(batch));
        if (batch >= KEPT) {
            session.text(Kind.ARCHIVE, "DELETE FROM shop.archive WHERE id" + range(batch - KEPT));
        }
        batch++;
    }

    private String range(int number) {
        int from = 1 + (int) ((long) number * BATCH % orderCount);
        return " BETWEEN " + from + " AND " + (from + BATCH - 1);
    }
}
