package io.understudy.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Schema {@code shop}, its rows and its accounts. */
public final class DemoSchema {

    /** Some 95 MB of data and indexes: three times the buffer pool of the demo's standby. */
    public static final int DEFAULT_ORDERS = 120_000;

    static final String APP_USER = "app";
    static final String APP_PASSWORD = "app";
    static final String ARCHIVE_USER = "archiver";
    static final String ARCHIVE_PASSWORD = "archiver";

    static final int ITEMS_PER_ORDER = 2;
    static final int ORDERS_PER_CUSTOMER = 10;

    /** Rows per transaction: large enough to be fast, small enough for a replica to apply without delay. */
    private static final int CHUNK = 20_000;

    private static final String[] TABLES = {
        """
        CREATE TABLE shop.customers (
          id INT UNSIGNED NOT NULL PRIMARY KEY,
          name VARCHAR(60) NOT NULL,
          email VARCHAR(80) NOT NULL,
          city VARCHAR(40) NOT NULL,
          KEY by_city (city)
        )""", """
        CREATE TABLE shop.orders (
          id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
          customer_id INT UNSIGNED NOT NULL,
          status VARCHAR(12) NOT NULL,
          total DECIMAL(10,2) NOT NULL,
          created DATETIME NOT NULL,
          note VARCHAR(200) NOT NULL,
          KEY by_customer (customer_id),
          KEY by_status (status, created)
        )""", """
        CREATE TABLE shop.items (
          id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
          order_id INT UNSIGNED NOT NULL,
          product INT UNSIGNED NOT NULL,
          quantity SMALLINT UNSIGNED NOT NULL,
          price DECIMAL(8,2) NOT NULL,
          description VARCHAR(100) NOT NULL,
          KEY by_order (order_id),
          KEY by_product (product)
        )""", """
        CREATE TABLE shop.audit (
          id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
          at DATETIME(3) NOT NULL,
          worker SMALLINT UNSIGNED NOT NULL,
          what VARCHAR(64) NOT NULL
        )""", """
        CREATE TABLE shop.archive (
          id INT UNSIGNED NOT NULL PRIMARY KEY,
          customer_id INT UNSIGNED NOT NULL,
          total DECIMAL(10,2) NOT NULL,
          note VARCHAR(200) NOT NULL,
          archived DATETIME NOT NULL
        )""",
    };

    private DemoSchema() {}

    /**
     * Creates everything, after dropping an existing schema {@code shop}.
     *
     * @param connection of an account with the privileges for that
     * @param orders rows of the second largest table; the other tables follow from it
     */
    public static void create(Connection connection, int orders) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS shop");
            statement.execute("CREATE DATABASE shop CHARACTER SET utf8mb4");
            for (String table : TABLES) {
                statement.execute(table);
            }
            accounts(statement);
            fill(statement, orders);
        }
    }

    private static void accounts(Statement statement) throws SQLException {
        statement.execute("CREATE OR REPLACE USER " + APP_USER + "@'%' IDENTIFIED BY '" + APP_PASSWORD + "'");
        statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE, ALTER, INDEX ON shop.* TO " + APP_USER + "@'%'");
        statement.execute("CREATE OR REPLACE USER " + ARCHIVE_USER + "@'%' IDENTIFIED BY '" + ARCHIVE_PASSWORD + "'");
        statement.execute("GRANT SELECT ON shop.orders TO " + ARCHIVE_USER + "@'%'");
        statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON shop.archive TO " + ARCHIVE_USER + "@'%'");
    }

    private static void fill(Statement statement, int orders) throws SQLException {
        int customers = customers(orders);
        inChunks(statement, customers, """
                INSERT INTO shop.customers
                SELECT seq, CONCAT('Customer ', seq), CONCAT('c', seq, '@example.com'), CONCAT('City ', seq MOD 97)
                FROM\s""");
        inChunks(statement, orders, """
                INSERT INTO shop.orders
                SELECT seq, 1 + seq MOD CUSTOMERS, ELT(1 + seq MOD 4, 'new', 'paid', 'sent', 'done'),
                  (seq MOD 10000) / 10, '2026-01-01' + INTERVAL seq MINUTE, REPEAT(MD5(seq), 5)
                FROM\s""".replace("CUSTOMERS", Integer.toString(customers)));
        inChunks(statement, orders * ITEMS_PER_ORDER, """
                INSERT INTO shop.items
                SELECT seq, 1 + seq MOD ORDERS, 1 + seq MOD 5000, 1 + seq MOD 9, (seq MOD 1000) / 10,
                    REPEAT(MD5(seq), 2)
                FROM\s""".replace("ORDERS", Integer.toString(orders)));
    }

    /**
     * Completes the statement with tables of the SEQUENCE engine, which count without being stored (and want a schema).
     */
    private static void inChunks(Statement statement, int rows, String insertSelectFrom) throws SQLException {
        for (int from = 1; from <= rows; from += CHUNK) {
            statement.executeUpdate(insertSelectFrom + "shop.seq_" + from + "_to_" + Math.min(rows, from + CHUNK - 1));
        }
    }

    static int customers(int orders) {
        return Math.max(1, orders / ORDERS_PER_CUSTOMER);
    }
}
