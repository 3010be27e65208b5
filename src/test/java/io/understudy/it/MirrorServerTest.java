package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which reads the plugin {@code mirror} sends to a real standby, and in which settings, by that standby's own log. */
@Timeout(120)
class MirrorServerTest extends MirroredPair {
    @Test
    void readsOfATableThatIsRebuiltAreSkippedUntilItIsDone() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection session = proxy.mariadb("")) {
            proxy.act("mirror/{standby}/skip/{table}", "s1", "shop.orders");
            run(session, "SELECT note /* skipped-1 */ FROM orders WHERE id = 7");
            run(session, "SELECT note /* skipped-2 */ FROM customers WHERE id = 7");
            await().until(() -> proxy.dropped("table_skipped") == 1 && proxy.executed("ok") == 1);
            proxy.act("mirror/{standby}/unskip/{table}", "s1", "shop.orders");
            run(session, "SELECT note /* skipped-3 */ FROM orders WHERE id = 7");
            await().until(() -> proxy.executed("ok") == 2);
            assertThat(texts("skipped-1")).isEmpty();
            assertThat(texts("skipped-3")).hasSize(1);
        }
    }

    @Test
    void allReadsOfABoostedTableAreMirroredWhateverTheSample() throws Exception {
        String rules = """
                rules:
                  - { name: never, match: { user: app, pattern: "boost_never" }, sample: 0% }
                  - { name: few, sample: 0.0001% }
                """;
        try (MirrorProxy proxy = proxy(rules);
                Connection session = proxy.mariadb("")) {
            for (int i = 0; i < 20; i++) {
                run(session, "SELECT note /* boost-before */ FROM orders WHERE id = " + i);
            }
            proxy.act("mirror/{standby}/boost/{table}", "s1", "shop.Orders");
            for (int i = 0; i < 20; i++) {
                run(session, "SELECT note /* boost-1 */ FROM orders WHERE id = " + i);
                run(session, "SELECT note /* boost-other */ FROM customers WHERE id = " + i);
            }
            run(session, "SELECT note FROM orders AS boost_never WHERE id = 7");
            await().until(() -> texts("boost-1").size() == 20);
            assertThat(String.valueOf(proxy.view())).contains("{table=shop.orders, statements=2", "share=100%");
            proxy.act("mirror/{standby}/unboost/{table}", "s1", "shop.orders");
            for (int i = 0; i < 20; i++) {
                run(session, "SELECT note /* boost-after */ FROM orders WHERE id = " + i);
            }
            await().until(() -> proxy.waiting("statements") == 0);
            assertThat(proxy.executed("ok"))
                    .as("one in a million may come by chance")
                    .isBetween(20.0, 21.0);
            assertThat(texts("boost-before").size()
                            + texts("boost-other").size()
                            + texts("boost-after").size())
                    .isLessThan(2);
        }
    }

    @Test
    void textReadsArriveAsTheyAreAndInTheirSchema() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("")) {
            String inShop = "SELECT  note FROM orders /* text-1 */ WHERE id = 7";
            String inDepot = "SELECT note FROM shelves /* text-1 */ WHERE note = 'ä \\' é'";
            double before = proxy.executed("ok");
            run(connection, inShop);
            connection.setCatalog("depot");
            run(connection, inDepot);
            connection.setCatalog("shop");
            run(connection, inShop);

            await().until(() -> texts("text-1").size() == 3);
            assertThat(log.of(MIRROR, "text-1"))
                    .containsExactlyInAnyOrder(
                            new GeneralLog.Line("Query", "shop", inShop),
                            new GeneralLog.Line("Query", "depot", inDepot),
                            new GeneralLog.Line("Query", "shop", inShop));
            await().until(() -> proxy.executed("ok") >= before + 3);
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    @Test
    void whatWritesLocksOrDependsOnTheSessionStaysAway() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("")) {
            run(connection, "INSERT INTO customers /* away-1 */ VALUES (1, 'x')");
            run(connection, "UPDATE customers /* away-1 */ SET note = 'y' WHERE id = 1");
            run(connection, "SELECT note FROM customers /* away-1 */ WHERE id = 1 FOR UPDATE");
            run(connection, "SET @v = 1 /* away-1 */");
            run(connection, "SELECT note FROM customers /* away-1 */ WHERE id = @v");
            connection.setAutoCommit(false);
            run(connection, "DELETE FROM customers /* away-1 */ WHERE id = 1");
            run(connection, "SELECT note FROM customers /* away-1 */ WHERE id = 2");
            connection.commit();
            connection.setAutoCommit(true);
            flush(proxy, connection, "after-writes");
            run(connection, "CREATE TEMPORARY TABLE scratch /* away-1 */ (id INT)");
            run(connection, "SELECT id FROM scratch /* away-1 */");
            run(connection, "SELECT note FROM orders /* away-1 */ WHERE id = 2");
            try (Connection other = proxy.mariadb("")) {
                flush(proxy, other, "after-all");
            }

            assertThat(texts("away-1")).isEmpty();
            assertThat(proxy.skipped("locking_read")).isEqualTo(1);
            assertThat(proxy.skipped("user_variable")).isPositive();
            assertThat(proxy.skipped("in_writing_transaction")).isEqualTo(1);
            assertThat(proxy.skipped("temporary_table")).isGreaterThanOrEqualTo(2);
            assertThat(proxy.skipped("writes")).isGreaterThanOrEqualTo(3);
            assertThat(proxy.executed("error")).isZero();
        }
    }

    @Test
    void aReadThatFailsOnThePrimaryIsNotTriedOnTheStandby() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("")) {
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> run(connection, "SELECT nothing FROM orders /* failing-1 */"))
                    .isInstanceOf(SQLException.class);
            flush(proxy, connection, "after-failing");
            assertThat(texts("failing-1")).isEmpty();
            assertThat(proxy.skipped("failed_on_primary")).isEqualTo(1);
        }
    }

    @Test
    void aSessionIsMirroredWholeOrNotAtAll() throws Exception {
        try (MirrorProxy proxy = proxy("rules: [ { name: half, sample: 50%, by: session } ]")) {
            int sessions = 24;
            int reads = 5;
            for (int i = 0; i < sessions; i++) {
                try (Connection connection = proxy.mariadb("")) {
                    for (int j = 0; j < reads; j++) {
                        run(connection, "SELECT note FROM orders /* whole-" + i + "- */ WHERE id = " + j);
                    }
                }
            }
            await().until(() ->
                    proxy.waiting("statements") == 0 && texts("whole-").size() % reads == 0);
            int whole = 0;
            for (int i = 0; i < sessions; i++) {
                String marker = "whole-" + i + "-";
                int seen = texts(marker).size();
                assertThat(seen).as("reads of session %d", i).isIn(0, reads);
                whole += seen / reads;
            }
            // The sample goes by the session's number, so the share is the same in each run.
            assertThat(whole).isBetween(4, 20);
        }
    }

    @Test
    void theFirstRuleThatMatchesDecides() throws Exception {
        try (MirrorProxy proxy = proxy("""
                rules:
                  - { name: none, match: { table: customers }, sample: 0% }
                  - { name: orders, match: { schema: shop, table: [orders, customers] }, sample: 100% }
                """);
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT note FROM customers /* rule-1 */");
            run(connection, "SELECT note FROM depot.shelves /* rule-1 */");
            run(connection, "SELECT note FROM orders /* rule-1 */ WHERE id = 3");

            String mirrored = "SELECT note FROM orders /* rule-1 */ WHERE id = 3";
            await().until(() -> texts("rule-1").contains(mirrored));
            await().until(() -> proxy.ofRule("orders") == 1);
            assertThat(texts("rule-1")).containsExactly(mirrored);
            assertThat(proxy.ofRule("none")).isZero();
        }
    }

    @Test
    void aWritableStandbyGetsNothingUntilItIsReadOnlyAgain() throws Exception {
        pair.standby().execute("SET GLOBAL read_only = 0");
        try (MirrorProxy proxy = unready(ALL);
                Connection connection = proxy.mariadb("")) {
            await().until(() -> {
                run(connection, "SELECT 'writable, first'");
                return proxy.dropped("not_read_only") > 0;
            });
            double dropped = proxy.dropped("not_read_only");
            for (int i = 0; i < 10; i++) {
                run(connection, "SELECT note FROM orders /* writable-1 */ WHERE id = 1");
            }
            await().until(() -> proxy.dropped("not_read_only") == dropped + 10);
            assertThat(texts("writable-1")).isEmpty();

            pair.standby().execute("SET GLOBAL read_only = 1");
            await().until(() -> {
                run(connection, "SELECT note FROM orders /* writable-2 */ WHERE id = 1");
                return !texts("writable-2").isEmpty();
            });
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
        }
    }

    /** The standby ends the read by itself, and the connection to it lives on. */
    @Tag("long")
    @Test
    void aReadThatTakesTooLongIsCancelledOnTheStandby() throws Exception {
        String exceeded = "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                + " WHERE VARIABLE_NAME = 'Max_statement_time_exceeded'";
        int before = Integer.parseInt(pair.standby().query(exceeded));
        try (MirrorProxy proxy = proxy("{ concurrency: 1, timeout: 100ms, rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(
                    connection,
                    "SELECT COUNT(*) FROM orders /* long-1 */ a, orders b, orders c, (SELECT 1 UNION SELECT 2 UNION"
                            + " SELECT 3) d"
                            + " WHERE CONCAT(a.note, b.note) <> CONCAT(c.note, a.note)");
            await().until(() -> proxy.executed("timeout") == 1);
            assertThat(Integer.parseInt(pair.standby().query(exceeded))).isEqualTo(before + 1);
            run(connection, "SELECT note FROM orders /* long-2 */ WHERE id = 1");
            await().until(() -> texts("long-2").size() == 1);
            await().until(() -> proxy.executed("ok") == 1);
            assertThat(proxy.dropped()).isZero();
        }
    }

    /**
     * A setting of the statement's own overrides the bound of the session; the server goes on when the client closes.
     */
    @Tag("long")
    @Test
    void aReadThatOverridesTheBoundIsKilledOnTheStandby() throws Exception {
        pair.primary().execute("CREATE OR REPLACE TABLE shop.heavy (id INT)", "INSERT INTO shop.heavy VALUES (1)");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        pair.standby()
                .execute("SET SESSION sql_log_bin = 0", "INSERT INTO shop.heavy SELECT seq FROM shop.seq_1_to_3000");
        String running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%killed-1%'"
                + " AND USER = '" + MIRROR + "'";
        try (MirrorProxy proxy = proxy("{ concurrency: 1, timeout: 300ms, rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(
                    connection,
                    "SET STATEMENT max_statement_time=600 FOR SELECT COUNT(*) FROM heavy /* killed-1 */ a, heavy b,"
                            + " heavy c"
                            + " WHERE a.id + b.id <> c.id * 7");
            await().until(() -> pair.standby().query(running).equals("1"));
            await().until(() -> proxy.executed("timeout") == 1);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> pair.standby().query(running).equals("0"));
            run(connection, "SELECT note FROM orders /* killed-2 */ WHERE id = 1");
            await().until(() -> proxy.executed("ok") == 1);
            assertThat(proxy.dropped()).as("the connection lives on").isZero();
        }
    }

    @Tag("long")
    @Test
    void aStoppedApplierPausesMirroring() throws Exception {
        try (MirrorProxy proxy = proxy(ALL)) {
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            try {
                await().until(() -> String.valueOf(proxy.view()).contains("state=paused_stopped"));
            } finally {
                pair.standby().execute("START SLAVE");
            }
            proxy.awaitMirroring();
        }
    }

    /** Where the standby cannot be brought to the session's settings nothing is run with others. */
    @Test
    void aReadInASettingThatTheStandbyRefusesIsNotRun() throws Exception {
        pair.primary().execute("SET SESSION sql_log_bin = 0", "CREATE DATABASE only_here");
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT 'before-refusal'");
            await().until(() -> texts("before-refusal").size() == 1);
            pair.primary().execute("GRANT ALL ON only_here.* TO app@'%'");
            connection.setCatalog("only_here");
            run(connection, "SELECT note FROM shop.orders /* refused-1 */ WHERE id = 1");
            await().until(() -> proxy.executed("error") == 1); // as of a grant that is missing
            connection.setCatalog("shop");
            run(connection, "SELECT note FROM shop.orders /* refused-2 */ WHERE id = 1");
            await().until(() -> texts("refused-2").size() == 1);
            assertThat(texts("refused-1")).isEmpty();
            assertThat(String.valueOf(proxy.view())).contains("lastErrors=[{rule=all, error=", "'only_here'");
        }
    }

    /** Connector/J says how many rows it wants by a session variable. */
    @Test
    void aSessionsNumberOfRowsHoldsOnTheStandbyToo() throws Exception {
        // One connection to the standby, so that the second statement finds the settings of the first.
        try (MirrorProxy proxy = proxy("{ concurrency: 1, rules: [ { name: all } ] }");
                Connection connection = proxy.mysql("");
                Statement few = connection.createStatement();
                Statement all = connection.createStatement()) {
            few.setMaxRows(1);
            long before = rowsSent();
            for (int i = 0; i < 50; i++) {
                few.executeQuery("SELECT note FROM orders /* max-rows */").close();
            }
            await().until(() -> texts("max-rows").size() == 50);
            await().until(() -> proxy.waiting("statements") == 0);
            assertThat(rowsSent() - before).isLessThan(5000); // of 50 x 200, and of what the proxy asks itself
            all.executeQuery("SELECT note FROM orders /* all-rows */").close();
            await().until(() -> texts("all-rows").size() == 1);
            assertThat(texts("sql_select_limit"))
                    .contains("SET sql_select_limit = 1", "SET sql_select_limit = DEFAULT");
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped()).isZero();
        }
    }

    private static long rowsSent() {
        return Long.parseLong(pair.standby()
                .query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                        + " WHERE VARIABLE_NAME = 'Rows_sent'"));
    }

    /** MariaDB's driver says so, and the timeout, in the statement. */
    @Test
    void aStatementWithSettingsOfItsOwnArrives() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("");
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(30);
            statement
                    .executeQuery("SELECT note FROM orders /* own-1 */ WHERE id = 1")
                    .close();
            await().until(() -> texts("own-1").size() == 1);
            assertThat(texts("own-1").get(0)).startsWithIgnoringCase("SET STATEMENT");
            statement.executeUpdate("DELETE FROM customers /* own-2 */ WHERE id = -1");
            flush(proxy, connection, "after-own");
            assertThat(texts("own-2")).isEmpty();
            assertThat(proxy.skipped("writes")).isEqualTo(1);
        }
    }

    /**
     * A pool does not reset its sessions, so what one user of a session did must not keep the next from being mirrored.
     */
    @Test
    void whatASessionDidEndsWhenItEnds() throws Exception {
        try (MirrorProxy proxy = proxy(ALL);
                Connection connection = proxy.mariadb("&allowMultiQueries=true")) {
            run(connection, "CREATE TEMPORARY TABLE scratch2 (id INT)");
            run(connection, "SELECT note FROM orders /* ends-no */ WHERE id = 1");
            run(connection, "DROP TEMPORARY TABLE scratch2");
            run(connection, "SELECT note FROM orders /* ends-1 */ WHERE id = 1");
            await().until(() -> texts("ends-1").size() == 1);
            run(connection, "SET time_zone = CONCAT('+0', '1:00')");
            run(connection, "SELECT note FROM orders /* ends-maybe */ WHERE id = 1");
            run(connection, "SET sql_mode = (SELECT @@GLOBAL.sql_mode)");
            run(connection, "SELECT note FROM orders /* ends-no */ WHERE id = 1");
            run(connection, "SET time_zone = '+00:00', sql_mode = DEFAULT");
            run(connection, "SELECT note FROM orders /* ends-2 */ WHERE id = 1");
            await().until(() -> texts("ends-2").size() == 1);
            run(
                    connection,
                    "UPDATE customers SET note = 'a' WHERE id = -1; UPDATE customers SET note = 'b' WHERE id = -1");
            run(connection, "SELECT note FROM orders /* ends-3 */ WHERE id = 1");
            await().until(() -> texts("ends-3").size() == 1);
            run(connection, "PREPARE p FROM 'SELECT note FROM orders WHERE id = ?'");
            run(connection, "EXECUTE p USING 1");
            run(connection, "SELECT note FROM orders /* ends-4 */ WHERE id = 1");
            await().until(() -> texts("ends-4").size() == 1);
            assertThat(texts("ends-no")).isEmpty();
            assertThat(proxy.skipped("temporary_table")).isEqualTo(1);
            assertThat(proxy.skipped("settings_unknown")).isPositive();
        }
    }
}
