package io.understudy.demo;

import io.understudy.demo.LoadCounters.Kind;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** A shop's web application: mostly reads, some orders, now and then a schema change. */
final class ShopScript implements LoadSession.Script {

    private final int worker;
    private final boolean prepared;
    private final int alterEvery;
    private final SplittableRandom random;
    private final Zipfian orders;
    private final Zipfian customers;
    private int steps;
    private boolean indexed;

    /**
     * @param prepared whether point selects and writes use parameters
     * @param alterEvery steps between two schema changes; 0 for none
     */
    ShopScript(
            int worker, boolean prepared, int alterEvery, Zipfian orders, Zipfian customers, SplittableRandom random) {
        this.worker = worker;
        this.prepared = prepared;
        this.alterEvery = alterEvery;
        this.random = random;
        this.orders = orders.with(random.nextLong());
        this.customers = customers.with(random.nextLong());
    }

    @Override
    public void step(LoadSession session) throws SQLException {
        steps++;
        if (alterEvery > 0 && steps % alterEvery == 0) {
            alter(session);
            return;
        }
        int dice = random.nextInt(100);
        if (dice < 50) {
            pointSelect(session);
        } else if (dice < 65) {
            rangeSelect(session);
        } else if (dice < 78) {
            join(session);
        } else if (dice < 90) {
            transaction(session);
        } else {
            insert(session);
        }
    }

    private void pointSelect(LoadSession session) throws SQLException {
        int order = orders.next();
        if (prepared) {
            session.prepared(
                    Kind.PREPARED_SELECT, "SELECT id, status, total, note FROM shop.orders WHERE id = ?", order);
        } else {
            session.text(Kind.POINT_SELECT, "SELECT id, status, total, note FROM shop.orders WHERE id = " + order);
        }
    }

    private void rangeSelect(LoadSession session) throws SQLException {
        int from = orders.next();
        if (random.nextBoolean()) {
            session.text(
                    Kind.RANGE_SELECT,
                    "SELECT id, total, created FROM shop.orders WHERE id BETWEEN " + from + " AND " + (from + 50));
        } else {
            session.text(
                    Kind.RANGE_SELECT,
                    "SELECT COUNT(*), SUM(price) FROM shop.items WHERE product = " + (1 + random.nextInt(5000)));
        }
    }

    private void join(LoadSession session) throws SQLException {
        session.text(
                Kind.JOIN,
                "SELECT o.id, o.total, i.product, i.quantity, c.name FROM shop.orders o"
                        + " JOIN shop.items i ON i.order_id = o.id JOIN shop.customers c ON c.id = o.customer_id"
                        + " WHERE o.customer_id = " + customers.next() + " ORDER BY o.created DESC LIMIT 20");
    }

    private void transaction(LoadSession session) throws SQLException {
        int order = orders.next();
        int product = 1 + random.nextInt(5000);
        int quantity = 1 + random.nextInt(9);
        session.text(Kind.TRANSACTION, "BEGIN");
        if (prepared) {
            session.prepared(Kind.TRANSACTION, "SELECT status, total FROM shop.orders WHERE id = ?", order);
            session.prepared(Kind.TRANSACTION, "UPDATE shop.orders SET total = total + 1 WHERE id = ?", order);
            session.prepared(
                    Kind.TRANSACTION,
                    "INSERT INTO shop.items (order_id, product, quantity, price, description) VALUES (?, ?, ?, 9.95,"
                            + " ?)",
                    order,
                    product,
                    quantity,
                    "added by worker " + worker);
        } else {
            session.text(Kind.TRANSACTION, "SELECT status, total FROM shop.orders WHERE id = " + order);
            session.text(Kind.TRANSACTION, "UPDATE shop.orders SET total = total + 1 WHERE id = " + order);
            session.text(
                    Kind.TRANSACTION,
                    "INSERT INTO shop.items (order_id, product, quantity, price, description) VALUES (" + order + ", "
                            + product + ", " + quantity + ", 9.95, 'added by worker " + worker + "')");
        }
        session.text(Kind.TRANSACTION, "COMMIT");
    }

    private void insert(LoadSession session) throws SQLException {
        String sql = "INSERT INTO shop.audit (at, worker, what) VALUES (NOW(3), ";
        if (prepared) {
            session.prepared(Kind.INSERT, sql + "?, ?)", worker, "step " + steps);
        } else {
            session.text(Kind.INSERT, sql + worker + ", 'step " + steps + "')");
        }
    }

    /** Adds and drops an index: real work for the server, and a lagging replica keeps the same rows. */
    private void alter(LoadSession session) throws SQLException {
        session.text(
                Kind.ALTER,
                indexed
                        ? "ALTER TABLE shop.audit DROP INDEX IF EXISTS by_time"
                        : "ALTER TABLE shop.audit ADD INDEX IF NOT EXISTS by_time (at, worker)");
        indexed = !indexed;
    }
}
