package io.understudy.demo;

import io.understudy.demo.LoadCounters.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The sample application under load: workers of user {@code app}, every other one with server-side prepared statements,
 * and one batch job of user {@code archiver}. Runs until closed. With the same options every worker issues the same
 * statements in the same order. Needs {@link DemoSchema}.
 */
public final class DemoLoad implements AutoCloseable {

    private static final Duration STOP = Duration.ofSeconds(10);

    /**
     * The amount of load. Built by {@link #to} and the {@code with} methods.
     *
     * @param url JDBC URL of the server or of a proxy before it, without user
     * @param workers connections of the application, at least 1
     * @param orders as given to {@link DemoSchema#create}
     * @param seed of all random choices
     * @param pause of each worker between two pieces of work
     * @param archivePause of the batch job between two batches
     * @param alterEvery pieces of work of the first worker between two schema changes; 0 for none
     * @param statementsPerWorker after which a worker ends by itself
     */
    public record Options(
            String url,
            int workers,
            int orders,
            long seed,
            Duration pause,
            Duration archivePause,
            int alterEvery,
            long statementsPerWorker) {

        public Options {
            if (workers < 1) {
                throw new IllegalArgumentException("workers: " + workers + ", must be at least 1");
            }
            if (orders < 1) {
                throw new IllegalArgumentException("orders: " + orders + ", must be at least 1");
            }
        }

        /** Eight workers with 2 ms of pause over the default data, a batch every 200 ms, without end. */
        public static Options to(String url) {
            return new Options(
                    url,
                    8,
                    DemoSchema.DEFAULT_ORDERS,
                    42,
                    Duration.ofMillis(2),
                    Duration.ofMillis(200),
                    2000,
                    Long.MAX_VALUE);
        }

        public Options withOrders(int value) {
            return new Options(url, workers, value, seed, pause, archivePause, alterEvery, statementsPerWorker);
        }

        public Options withAlterEvery(int value) {
            return new Options(url, workers, orders, seed, pause, archivePause, value, statementsPerWorker);
        }
    }

    private final LoadCounters counters = new LoadCounters();
    private final List<LoadSession> workers = new ArrayList<>();
    private final Sessions threads;

    private DemoLoad(Options options) {
        SplittableRandom seeds = new SplittableRandom(options.seed());
        Zipfian orders = Zipfian.of(options.orders(), 0);
        Zipfian customers = Zipfian.of(DemoSchema.customers(options.orders()), 0);
        for (int i = 0; i < options.workers(); i++) {
            boolean prepared = i % 2 == 1;
            int alterEvery = i == 0 ? options.alterEvery() : 0;
            workers.add(new LoadSession(
                    options.url(),
                    DemoSchema.APP_USER,
                    DemoSchema.APP_PASSWORD,
                    prepared,
                    new ShopScript(i, prepared, alterEvery, orders, customers, seeds.split()),
                    counters,
                    options.pause(),
                    options.statementsPerWorker()));
        }
        workers.add(new LoadSession(
                options.url(),
                DemoSchema.ARCHIVE_USER,
                DemoSchema.ARCHIVE_PASSWORD,
                false,
                new ArchiveScript(options.orders()),
                counters,
                options.archivePause(),
                options.statementsPerWorker()));
        threads = Sessions.start(
                "demo-load",
                workers.size(),
                (load, number) -> workers.get(number).run(load));
    }

    /** Starts all workers and returns at once. Errors are counted, and broken connections are opened again. */
    public static DemoLoad start(Options options) {
        return new DemoLoad(options);
    }

    public LoadCounters counters() {
        return counters;
    }

    /** Waits for workers that have a limit; returns false if some still run after {@code timeout}. */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return threads.awaitEnd(timeout);
    }

    /** Ends all workers, each after the piece of work it is in; those that hang lose their connection. */
    @Override
    public void close() {
        threads.end();
        try {
            if (!awaitEnd(STOP)) {
                workers.forEach(LoadSession::abort);
                awaitEnd(STOP);
            }
        } catch (InterruptedException e) {
            workers.forEach(LoadSession::abort);
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A batch job that copies old orders to {@code shop.archive}, revises them and drops the oldest. No other session
     * writes that table, so it suits a GTID domain of its own.
     */
    static final class ArchiveScript implements LoadSession.Script {

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
                    "INSERT IGNORE INTO shop.archive SELECT id, customer_id, total, note, NOW() FROM shop.orders"
                            + " WHERE id"
                            + range(batch));
            session.text(
                    Kind.ARCHIVE, "UPDATE shop.archive SET note = CONCAT('archived ', id) WHERE id" + range(batch));
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

    /** A shop's web application: mostly reads, some orders, now and then a schema change. */
    static final class ShopScript implements LoadSession.Script {

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
                int worker,
                boolean prepared,
                int alterEvery,
                Zipfian orders,
                Zipfian customers,
                SplittableRandom random) {
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
                        "INSERT INTO shop.items (order_id, product, quantity, price, description)"
                                + " VALUES (?, ?, ?, 9.95,"
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
                        "INSERT INTO shop.items (order_id, product, quantity, price, description) VALUES (" + order
                                + ", " + product + ", " + quantity + ", 9.95, 'added by worker " + worker + "')");
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
}
