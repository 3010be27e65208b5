package io.understudy.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;

/**
 * A shop's skewed load on one connection. Half of the statements read the 10 most popular of 10,000 customers, five of
 * six the 640 most popular. The 16 orders of a customer are adjacent, about one page of 16 KiB; popular customers are
 * scattered. Of 20 statements 14 are prepared point selects, 3 are prepared ranges and 2 are text reads by a secondary
 * index. The last one is a write if writes are requested: an insert into a log, or an order's update in one of five
 * cases.
 */
final class ShopReads implements AutoCloseable {
    static final int CUSTOMERS = 10_000;
    static final int ORDERS_EACH = 16;
    static final int ORDERS = CUSTOMERS * ORDERS_EACH;
    /** A prime, so that multiplying by it permutes the customers. */
    private static final int SCATTER = 7919;

    private final SplittableRandom random;
    private final double logCount = Math.log(CUSTOMERS + 1.0);
    private final boolean writes;
    private final Connection connection;
    private final PreparedStatement point;
    private final PreparedStatement range;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final Statement text;

    ShopReads(String url, long seed, boolean writes) throws SQLException {
        random = new SplittableRandom(seed);
        this.writes = writes;
        connection = DriverManager.getConnection(url + "&useServerPrepStmts=true");
        point = connection.prepareStatement("SELECT customer, amount, note FROM shop.orders WHERE id = ?");
        range = connection.prepareStatement("SELECT id, amount, note FROM shop.orders WHERE id BETWEEN ? AND ?");
        insert = connection.prepareStatement("INSERT INTO shop.events (customer, what) VALUES (?, 'seen')");
        update = connection.prepareStatement("UPDATE shop.orders SET amount = amount + 1 WHERE id = ?");
        text = connection.createStatement();
    }

    /** Creates and fills the tables without logging, because the standby is copied from the result. */
    static void fill(io.understudy.embedded.EmbeddedServer server) {
        server.execute(
                "SET sql_log_bin = 0",
                "CREATE DATABASE shop",
                "CREATE TABLE shop.orders (id INT PRIMARY KEY, customer INT NOT NULL, amount INT NOT NULL, note"
                        + " VARCHAR(1000)"
                        + " NOT NULL, KEY customer (customer)) ENGINE=InnoDB",
                "CREATE TABLE shop.events (id INT PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL, what"
                        + " VARCHAR(20) NOT NULL)");
        int chunk = ORDERS / 8;
        for (int from = 0; from < ORDERS; from += chunk) {
            server.execute(
                    "SET sql_log_bin = 0",
                    "INSERT INTO shop.orders SELECT seq, seq DIV " + ORDERS_EACH
                            + ", seq % 1000, REPEAT(CHAR(97 + seq % 26), 900)" + " FROM shop.seq_" + from + "_to_"
                            + (from + chunk - 1));
        }
        // Without statistics the ranges would become table scans.
        server.execute("SET sql_log_bin = 0", "ANALYZE TABLE shop.orders");
    }

    /** Runs one statement. Returns whether it was a read. */
    boolean next() throws SQLException {
        int customer = popular();
        int first = customer * ORDERS_EACH;
        int kind = random.nextInt(20);
        if (kind < 14) {
            point.setInt(1, first + random.nextInt(ORDERS_EACH));
            read(point);
        } else if (kind < 17) {
            range.setInt(1, first);
            range.setInt(2, first + ORDERS_EACH - 1);
            read(range);
        } else if (kind < 19 || !writes) {
            try (ResultSet rows = text.executeQuery(
                    "SELECT COUNT(*), SUM(amount) FROM shop.orders FORCE INDEX (customer) WHERE customer = "
                            + customer)) {
                rows.next();
            }
        } else if (random.nextInt(5) > 0) {
            insert.setInt(1, customer);
            insert.executeUpdate();
            return false;
        } else {
            update.setInt(1, first);
            update.executeUpdate();
            return false;
        }
        return true;
    }

    private static void read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
        }
    }

    private int popular() {
        double position = random.nextDouble();
        long rank = (long) Math.exp(position * position * logCount);
        return (int) (Math.min(rank, CUSTOMERS) * SCATTER % CUSTOMERS);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
