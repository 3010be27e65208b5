package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.pages.TableOrPartition;
import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rebuilds of tables of all kinds on a standby. */
@Tag("long")
class DefragmentationTest extends DefragmentedPair {
    @Test
    void rebuildsWithFewerPagesAndLogsNothing() throws Exception {
        load("thinned", 30_000);
        primary.execute("DELETE FROM shop.thinned WHERE CRC32(id * 7 + 13) % 3 = 0");
        pair.awaitCaughtUp(MOST);
        String state = standby.query("SELECT @@gtid_binlog_state");

        Defragmentation.Result result = work(standby, "pages", OPTIONS).run(List.of("shop.thinned"));

        Map<String, Object> outcome = only(result);
        assertThat(outcome).as("%s", log).containsEntry("state", "rebuilt").containsEntry("checksum", "equal");
        assertThat(result.errant()).isEmpty();
        assertThat(result.allRebuilt()).isTrue();
        assertThat(pages(outcome, "leafPagesAfter")).isLessThanOrEqualTo(pages(outcome, "leafPagesBefore") * 3 / 4);
        assertThat(standby.query("SELECT @@gtid_binlog_state")).isEqualTo(state);
        assertThat(checksum(standby, "shop.thinned")).isEqualTo(checksum(primary, "shop.thinned"));
        assertThat(log.toString())
                .contains("shop.thinned: ", "rebuilding", "this server logged no transaction of its own");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"})
    void aNameMayEndWithWhatEscapesAQuote(String mode) throws Exception {
        primary.execute(
                "CREATE OR REPLACE TABLE shop.`odd\\` (id INT PRIMARY KEY, n INT, KEY (n))",
                "CREATE OR REPLACE TABLE shop.`it's\\' odd` (id INT PRIMARY KEY, n INT, KEY (n))",
                "INSERT INTO shop.`odd\\` SELECT seq, seq FROM shop.seq_1_to_500");
        pair.awaitCaughtUp(MOST);
        standby.execute("SET GLOBAL sql_mode = '" + mode + "'");
        try {
            assertThat(work(standby, "pages", OPTIONS)
                            .run(List.of("shop.odd\\", "shop.it's\\' odd"))
                            .tables())
                    .as("%s", log)
                    .extracting("state")
                    .containsExactly("rebuilt", "rebuilt");
        } finally {
            standby.execute("SET GLOBAL sql_mode = DEFAULT");
        }
    }

    @Test
    void leavesATableAloneWhoseNameAnotherOneTookSinceTheBeginning() throws Exception {
        load("first", 500);
        load("second", 500);
        pair.awaitCaughtUp(MOST);
        MirroredReads exchange = new MirroredReads() {
            @Override
            public String skip(String table) {
                return "";
            }

            @Override
            public String again(String table) {
                if (table.equals("shop.first")) {
                    primary.execute("TRUNCATE TABLE shop.second");
                    pair.awaitCaughtUp(MOST);
                }
                return "";
            }

            @Override
            public Rewarmed rewarm(String table, Pause pause) {
                return Rewarmed.NOT;
            }
        };

        List<Map<String, Object>> outcomes = work(exchange)
                .run(List.of("shop.first", "shop.second", "shop.first"))
                .tables();

        assertThat(outcomes).extracting("state").containsExactly("rebuilt", "failed", "rebuilt");
        assertThat((String) outcomes.get(1).get("why")).contains("another table has its name since this run began");
    }

    @Test
    void rebuildsParentsAndChildrenOfForeignKeys() throws Exception {
        primary.execute(
                "CREATE TABLE shop.parents (id INT PRIMARY KEY)",
                "CREATE TABLE shop.children (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parents(id))",
                "INSERT INTO shop.parents VALUES (1)",
                "INSERT INTO shop.children VALUES (1, 1)");
        pair.awaitCaughtUp(MOST);

        assertThat(work(standby, "pages", OPTIONS)
                        .run(List.of("shop.parents", "shop.children"))
                        .allRebuilt())
                .as("%s", log)
                .isTrue();
    }

    @Test
    void rebuildsPartitionsTogetherOrOneByOne() throws Exception {
        primary.execute(
                "CREATE TABLE shop.parts (id INT, d INT, pad CHAR(200) NOT NULL, PRIMARY KEY (id, d)) PARTITION BY"
                        + " RANGE (d)"
                        + " (PARTITION p0 VALUES LESS THAN (10), PARTITION `p 1` VALUES LESS THAN MAXVALUE)",
                "INSERT INTO shop.parts SELECT seq, seq % 20, 'x' FROM shop.seq_1_to_5000",
                "DELETE FROM shop.parts WHERE CRC32(id * 7 + 13) % 3 = 0");
        pair.awaitCaughtUp(MOST);
        var single = new Defragmentation.Options(CALM, 1L << 40, true, true, false);

        assertThat(only(work(standby, "pages", OPTIONS).run(List.of("shop.parts"))))
                .as("%s", log)
                .containsEntry("state", "rebuilt");
        assertThat(only(work(standby, "pages", single).run(List.of("shop.parts"))))
                .as("%s", log)
                .containsEntry("state", "rebuilt")
                .containsEntry("checksum", "equal");
    }

    /** MariaDB's checksum of the table after a rebuild differs from the one before, though its rows are the same. */
    @Test
    void rebuildsATableWithAVirtualColumn() throws Exception {
        primary.execute(
                "CREATE TABLE shop.computed (id INT PRIMARY KEY, a INT, v INT AS (a + 1) VIRTUAL, s INT AS (a * 2)"
                        + " STORED, KEY s(s))",
                "INSERT INTO shop.computed (id, a) SELECT seq, seq FROM shop.seq_1_to_3000");
        pair.awaitCaughtUp(MOST);

        Map<String, Object> outcome = only(work(standby, "pages", OPTIONS).run(List.of("shop.computed")));

        assertThat(outcome).as("%s", log).containsEntry("state", "rebuilt");
        assertThat((String) outcome.get("checksum"))
                .matches("equal|not comparable, as MariaDB does not calculate virtual columns for CHECKSUM TABLE");
    }

    @Test
    void rebuildsTablesWithUnusualNames() throws Exception {
        primary.execute("CREATE DATABASE `my.sh``op é`");
        standby.execute(
                "SET SESSION sql_log_bin = 0", "GRANT SELECT, INSERT, ALTER, CREATE ON `my.sh``op é`.* TO pages@'%'");
        List<String> names = List.of(
                "`my.sh``op é`.`t`",
                "`my.sh``op é`.`back``tick 'quote' \"double\" / % # é ж 漢`",
                "shop.with space",
                "shop.dotted.name",
                "shop.Ünïcode");
        for (String name : names) {
            TableOrPartition table = Objects.requireNonNull(TableOrPartition.written(name));
            primary.execute("CREATE TABLE " + Quoting.name(table.schema(), table.table())
                    + " (id INT PRIMARY KEY, k INT, KEY k(k)) CHARSET"
                    + " utf8mb4 SELECT seq AS id, seq AS k FROM shop.seq_1_to_3000");
        }
        pair.awaitCaughtUp(MOST);

        Defragmentation.Result result = work(standby, "pages", OPTIONS).run(names);

        assertThat(result.allRebuilt()).as("%s%n%s", result, log).isTrue();
        assertThat(result.tables()).allSatisfy(table -> {
            assertThat(table).containsEntry("checksum", "equal");
            assertThat((Long) table.get("fileBytesBefore")).isPositive();
            assertThat((Map<?, ?>) table.get("leafPagesAfter")).hasSize(2);
        });
    }

    /** A server with a short wait_timeout would close both connections while a table is warmed. */
    @Test
    void outlastsAShortWaitTimeout() throws Exception {
        standby.execute("SET SESSION sql_log_bin = 0", "SET GLOBAL wait_timeout = 1");
        try {
            Defragmentation.Result result = work(new IdleReads()).run(List.of("shop.orders", "shop.orders"));

            assertThat(result.allRebuilt()).as("%s", log).isTrue();
        } finally {
            standby.execute("SET GLOBAL wait_timeout = 28800");
        }
    }

    /** Warms a table until the server has closed a connection that is idle since then. */
    private static final class IdleReads implements MirroredReads {
        @Override
        public String skip(String table) {
            return "";
        }

        @Override
        public String again(String table) {
            return "";
        }

        @Override
        public Rewarmed rewarm(String table, Pause pause) {
            try (Connection idle = standby.connect();
                    Statement statement = idle.createStatement();
                    var row = statement.executeQuery("SELECT CONNECTION_ID()")) {
                row.next();
                String here = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + row.getLong(1);
                Awaitility.await().atMost(MOST).until(() -> standby.query(here).equals("0"));
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
            return Rewarmed.NOT;
        }
    }
}
