package io.understudy.demo.domains;

import io.understudy.demo.Sessions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Random transactions of many sessions, with an account for each domain, on the same few rows. Every update's result
 * depends on the update before, so a replica that swaps two of them keeps other data.
 */
final class ConflictLoad {
    /** Plain tables take turns, so that sometimes no write of a table is outstanding and a handover is possible. */
    private static final long TURN_NANOS = 250_000_000L;
    /** The number of cases of {@link #schemaChange}. */
    private static final int SCHEMA_CHANGES = 5;

    private final String url;
    private final int sessions;
    private final long transactions;
    private final long seed;
    private final BooleanSupplier enough;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /**
     * A load.
     *
     * @param url of the proxy, up to and without the user
     * @param transactions of all sessions together
     * @param enough ends it early
     */
    ConflictLoad(String url, int sessions, long transactions, long seed, BooleanSupplier enough) {
        this.url = url;
        this.sessions = sessions;
        this.transactions = transactions;
        this.seed = seed;
        this.enough = enough;
    }

    /**
     * Runs the load to its end. Statements that the server refuses (deadlocks, foreign keys) are counted and skipped.
     */
    void run() throws Exception {
        Sessions.start("conflicts", sessions, (load, number) -> session(number)).join();
    }

    /** Runs each kind of transaction, statement and schema change over several tables once, in one session. */
    void runEachOnce() throws SQLException {
        try (Connection connection = open(0);
                Statement statement = connection.createStatement()) {
            explicit(statement, 1, 2, 3);
            statement.execute(several("multi", "tx0", 1, 3));
            statement.execute(joined(1, 2));
            statement.execute("INSERT INTO numbered SELECT NEXTVAL(numbers), 1");
            for (int change = 0; change < SCHEMA_CHANGES; change++) {
                schemaChange(statement, change, 1, 1);
            }
        }
    }

    private Connection open(int number) throws SQLException {
        String user = ConflictSchema.user(number % ConflictSchema.DOMAINS);
        return DriverManager.getConnection(url + "&allowMultiQueries=true&useServerPrepStmts=true&user=" + user
                + "&password=" + ConflictSchema.PASSWORD);
    }

    long done() {
        return Math.min(begun.get(), transactions);
    }

    long failed() {
        return failed.get();
    }

    private void session(int number) throws SQLException {
        Random random = new Random(seed + number);
        try (Connection connection = open(number);
                Statement statement = connection.createStatement();
                PreparedStatement first = elsewhere(connection, "c0");
                PreparedStatement second = elsewhere(connection, "c1")) {
            while (begun.incrementAndGet() <= transactions && !enough.getAsBoolean()) {
                try {
                    int dice = random.nextInt(100);
                    if (dice < 8) {
                        prepared(dice % 2 == 0 ? first : second, random);
                    } else if (dice < 16) {
                        hidden(statement, random);
                    } else {
                        transaction(statement, random);
                    }
                } catch (SQLException e) {
                    if (e.getErrorCode() == 0
                            || e.getSQLState() != null && e.getSQLState().startsWith("08")) {
                        throw e;
                    }
                    failed.incrementAndGet();
                    statement.execute("ROLLBACK");
                }
            }
        }
    }

    /** Prepared in the other schema, whose tables have the same names, and executed in this one. */
    private static PreparedStatement elsewhere(Connection connection, String table) throws SQLException {
        String schema = connection.getCatalog();
        connection.setCatalog(ConflictSchema.OTHER);
        PreparedStatement statement =
                connection.prepareStatement("UPDATE " + table + " SET v = (v * 31 + ?) % 1000000007 WHERE id = ?");
        statement.setInt(1, 0);
        statement.setInt(2, 0);
        statement.executeUpdate();
        connection.setCatalog(schema);
        return statement;
    }

    private static void prepared(PreparedStatement statement, Random random) throws SQLException {
        statement.setInt(1, random.nextInt(1_000_000));
        statement.setInt(2, 1 + random.nextInt(20));
        statement.executeUpdate();
    }

    /** Writes that a statement's first word does not show. */
    private static void hidden(Statement to, Random random) throws SQLException {
        int id = 1 + random.nextInt(20);
        int v = random.nextInt(1_000_000);
        int dice = random.nextInt(100);
        if (dice < 40) {
            to.execute("SET STATEMENT max_statement_time=30 FOR UPDATE " + plain(random) + " SET v = (v * 31 + " + v
                    + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 50) {
            to.execute("UPDATE " + ConflictSchema.OTHER + ".c" + dice % 2 + " SET v = (v * 37 + " + v
                    + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 65) {
            to.execute(dice % 2 == 0 ? several("multi", "tx0", id, v) : batch(random, id, v));
        } else if (dice < 70) {
            to.execute("UPDATE tx0 SET v = v * 2 % 1000000007 WHERE id = " + id);
        } else if (dice < 80) {
            to.execute(dice % 2 == 0 ? "DO NEXTVAL(numbers)" : "INSERT INTO numbered SELECT NEXTVAL(numbers), " + v);
        } else if (dice < 98) {
            // In bursts, like the CALLs.
            if (System.nanoTime() / TURN_NANOS % 8 == 0) {
                function(to, id, v % 1000, dice % 4);
            } else {
                to.execute("UPDATE noted SET v = (v * 5 + " + v + ") % 1000000007 WHERE id = " + id);
            }
        } else {
            schemaChange(to, random.nextInt(12), id, v);
        }
    }

    private static String several(String one, String other, int id, int v) {
        return "UPDATE " + one + " SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id + "; UPDATE " + other
                + " SET v = v * 2 % 1000000007 WHERE id = " + id + "; SELECT ROW_COUNT()";
    }

    /** As a driver sends a batch of updates. */
    private static String batch(Random random, int id, int v) {
        String table = plain(random);
        return several(table, table, id, v);
    }

    private static String joined(int id, int other) {
        return "UPDATE c0, c1 SET c0.v = c1.v + 1, c1.v = c0.v * 2 % 1000000007 WHERE c0.id = " + id + " AND c1.id = "
                + other;
    }

    private static void function(Statement to, int id, int v, int way) throws SQLException {
        String call = "note(" + id + ", " + v + ")";
        switch (way) {
            case 0 -> to.execute("UPDATE calling SET v = " + call + " WHERE id = " + id);
            case 1 -> to.execute("DO " + call);
            case 2 -> to.execute("SET @noted = " + call);
            default -> to.execute("SELECT " + call);
        }
    }

    /** Schema changes that read c4, and changes that affect their result. */
    private static void schemaChange(Statement to, int change, int id, int v) throws SQLException {
        switch (change) {
            case 0 -> to.execute("ALTER TABLE c4 ADD COLUMN IF NOT EXISTS x INT DEFAULT 7");
            case 1 -> to.execute("ALTER TABLE c4 DROP COLUMN IF EXISTS x");
            case 2 -> to.execute("CREATE OR REPLACE TABLE c4copy LIKE c4");
            case 3 -> to.execute("CREATE OR REPLACE VIEW c4view AS SELECT * FROM c4");
            case 4 -> to.execute("CREATE OR REPLACE TABLE c4rows SELECT * FROM c4");
            default -> to.execute("REPLACE INTO c4copy (id, v) VALUES (" + id + ", " + v + ")");
        }
    }

    private static String plain(Random random) {
        long turn = System.nanoTime() / TURN_NANOS;
        return "c" + (turn * 2 + random.nextInt(2)) % ConflictSchema.PLAIN_TABLES;
    }

    private static void transaction(Statement to, Random random) throws SQLException {
        int id = 1 + random.nextInt(20);
        int other = 1 + random.nextInt(20);
        int v = random.nextInt(1_000_000);
        String table = plain(random);
        int dice = random.nextInt(1000);
        if (dice < 200) {
            to.execute("UPDATE " + table + " SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 320) {
            to.execute("REPLACE INTO " + table + " (id, v) VALUES (" + id + ", " + v + ")");
        } else if (dice < 420) {
            to.execute("DELETE FROM " + table + " WHERE id = " + id);
        } else if (dice < 500) {
            to.execute("UPDATE src SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 560) {
            to.execute(
                    dice % 2 == 0
                            ? "UPDATE audit SET n = (n * 13 + " + v + ") % 1000000007 WHERE id = " + id
                            : "DELETE FROM audit WHERE id = " + id);
        } else if (dice < 600) {
            to.execute("INSERT INTO parent VALUES (" + id + ", " + v + ") ON DUPLICATE KEY UPDATE v = v + 1");
        } else if (dice < 640) {
            to.execute("INSERT INTO child VALUES (" + other + ", " + id + ", " + v
                    + ") ON DUPLICATE KEY UPDATE v = v + 1, parent = " + id);
        } else if (dice < 680) {
            to.execute("UPDATE child SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 710) {
            to.execute("DELETE FROM parent WHERE id = " + id);
        } else if (dice < 760) {
            to.execute("UPDATE v5 SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 800) {
            to.execute(joined(id, other));
        } else if (dice < 830) {
            to.execute(
                    "INSERT INTO c2 SELECT id, v FROM c3 WHERE id = " + id + " ON DUPLICATE KEY UPDATE v = c2.v + 1");
        } else if (dice < 920) {
            explicit(to, id, other, v);
        } else if (dice < 960) {
            to.execute("UPDATE tx0 SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        } else if (dice < 999 || random.nextInt(3) > 0) {
            // In bursts: while a CALL is not applied everywhere, no table may leave the default domain.
            if (System.nanoTime() / TURN_NANOS % 8 == 0) {
                to.execute("CALL bump(" + id + ", " + v % 1000 + ")");
            } else {
                to.execute("UPDATE called SET v = (v * 5 + " + v + ") % 1000000007 WHERE id = " + id);
            }
        } else {
            to.execute(random.nextBoolean() ? "ALTER TABLE c4 FORCE" : "TRUNCATE c4");
        }
    }

    private static void explicit(Statement to, int id, int other, int v) throws SQLException {
        to.execute("BEGIN");
        to.execute("UPDATE tx0 SET v = (v * 31 + " + v + ") % 1000000007 WHERE id = " + id);
        to.execute("UPDATE tx1 SET v = (v * 37 + " + v + ") % 1000000007 WHERE id = " + other);
        to.execute(v % 10 == 0 ? "ROLLBACK" : "COMMIT");
    }
}
