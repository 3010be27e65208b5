package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.Address;
import io.understudy.rebuild.TableDefragmentation.RedoLog;
import io.understudy.servers.ServerQueries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused before a rebuild begins, and the space that it needs. */
class DefragmentationRefusalTest extends DefragmentedPair {
    private Map<String, Object> refusal(String table, Defragmentation.Options options) throws Exception {
        Map<String, Object> outcome = only(work(standby, "pages", options).run(List.of(table)));
        assertThat(outcome).containsEntry("state", "refused");
        return outcome;
    }

    @Test
    void refusesAPrimary() {
        assertThatThrownBy(() -> work(primary, "pages", OPTIONS).run(List.of("shop.orders")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("is writable");
    }

    @Test
    void refusesAReadOnlyServerWithoutReplication() {
        primary.execute("SET GLOBAL read_only = 1");
        try {
            assertThatThrownBy(() -> work(primary, "pages", OPTIONS).run(List.of("shop.orders")))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining("replicates from no server");
        } finally {
            primary.execute("SET GLOBAL read_only = 0");
        }
    }

    @Test
    void refusesAWritableStandbyAndAStoppedOne() {
        standby.execute("SET GLOBAL read_only = 0");
        assertThatThrownBy(() -> work(standby, "pages", OPTIONS).run(List.of("shop.orders")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("SET GLOBAL read_only = 1");
        standby.execute("SET GLOBAL read_only = 1", "STOP SLAVE SQL_THREAD");
        assertThatThrownBy(() -> work(standby, "pages", OPTIONS).run(List.of("shop.orders")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("does not replicate at the moment");
    }

    @Test
    void namesThePrivilegesThatAreMissing() throws Exception {
        assertThatThrownBy(() -> work(standby, "weak", OPTIONS).run(List.of("shop.orders")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("GRANT PROCESS, BINLOG ADMIN, READ_ONLY ADMIN ON *.* TO 'weak'@'%'")
                .hasMessageContaining("GRANT SELECT ON mysql.innodb_index_stats TO 'weak'@'%'");
        assertThat((String) refusal("other.t", OPTIONS).get("why"))
                .contains("GRANT ALTER, CREATE, INSERT, SELECT ON `other`.* TO 'pages'@'%'");
    }

    @Test
    void refusesTablesThatCannotBeRebuiltWithoutStoppingTheApplier() throws Exception {
        primary.execute(
                "CREATE TABLE shop.texts (id INT PRIMARY KEY, t TEXT, FULLTEXT KEY t(t))",
                "CREATE TABLE shop.counted (id INT PRIMARY KEY, v VARCHAR(9), n INT AS (LENGTH(v)) VIRTUAL, KEY n(n))",
                "CREATE TABLE shop.old (id INT PRIMARY KEY) ENGINE=MyISAM",
                "CREATE VIEW shop.seen AS SELECT id FROM shop.texts",
                "CREATE SEQUENCE shop.numbers");
        pair.awaitCaughtUp(MOST);

        assertThat((String) refusal("shop.texts", OPTIONS).get("why")).contains("full-text");
        assertThat((String) refusal("shop.counted", OPTIONS).get("why"))
                .contains("locking out the applier", "LOCK=NONE");
        assertThat((String) refusal("shop.old", OPTIONS).get("why")).contains("not an InnoDB table but MyISAM");
        assertThat((String) refusal("shop.seen", OPTIONS).get("why")).contains("not a table but a view");
        assertThat((String) refusal("shop.numbers", OPTIONS).get("why")).contains("not a table but a sequence");
        assertThat((String) refusal("shop.absent", OPTIONS).get("why")).contains("there is no table");
        assertThat((String) refusal("mysql.user", OPTIONS).get("why")).contains("server's own");
        assertThat((String) refusal("orders", OPTIONS).get("why")).contains("schema.table");
    }

    @Test
    void refusesWithoutRoomForTheCopy() throws Exception {
        var little = new Defragmentation.Options(CALM, 1L << 20, false, false, false);
        assertThat((String) refusal("shop.orders", little).get("why")).contains("no room for a copy", "1 MiB free");
    }

    @Test
    void determinesFreeSpaceOnThisHost() throws Exception {
        var unsaid = new Defragmentation.Options(CALM, null, false, false, false);
        assertThat(only(work(standby, "pages", unsaid).run(List.of("shop.orders"))))
                .containsEntry("state", "rebuilt");
    }

    @Test
    void warnsBeforeACopyThatDoesNotFitIntoTheRedoLog() throws Exception {
        try (Connection connection = standby.connect()) {
            StandbyQueries queries = new StandbyQueries(new ServerQueries(connection));

            assertThat(RedoLog.warning(queries, 1 << 20)).isEmpty();
            assertThat(RedoLog.warning(queries, 1L << 30))
                    .contains("may write 1,024 MiB of redo log", "SET GLOBAL innodb_log_file_size = 2147483648");
        }
    }

    /** The copy is made beside the file, so the data folder's space is not the only one that counts. */
    @Test
    void asksForSpaceWhereTheFilesAre(@TempDir Path elsewhere) throws Exception {
        Path folder = Files.createDirectory(elsewhere.resolve("disk2"));
        standby.execute(
                "SET SESSION sql_log_bin = 0",
                "CREATE TABLE shop.moved (id INT PRIMARY KEY, pad CHAR(200) NOT NULL) DATA DIRECTORY = '" + folder
                        + "'");
        try (Connection connection = standby.connect()) {
            StandbyQueries asked = new StandbyQueries(new ServerQueries(connection));
            DiskSpace space = new DiskSpace(
                    asked,
                    Address.parse("127.0.0.1:" + standby.port()),
                    null,
                    false,
                    path -> path.startsWith(folder)
                            ? new DiskSpace.Volume("disk2", 1 << 10)
                            : new DiskSpace.Volume("disk1", 1L << 40));
            long bytes = TableSize.fileBytes(asked, "shop", "moved");

            assertThatThrownBy(() -> space.check(new Subject("shop", "moved", bytes, false)))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining(folder + "/shop (its files) has 1 MiB free");
            space.check(new Subject("shop", "orders", bytes, false));
        } finally {
            standby.execute("SET SESSION sql_log_bin = 0", "DROP TABLE shop.moved");
        }
    }

    /** The copy grows beside the file while the tmpdir holds the sorted entries and the writes meanwhile. */
    @Test
    void addsUpWhatFoldersOfOneFileSystemNeed() throws Exception {
        try (Connection connection = standby.connect()) {
            StandbyQueries asked = new StandbyQueries(new ServerQueries(connection));
            long copy = TableSize.fileBytes(asked, "shop", "orders");
            long log = Long.parseLong(asked.queries().variable("innodb_online_alter_log_max_size"));
            Subject orders = new Subject("shop", "orders", copy, false);
            Path tmpdir = Path.of(asked.queries().variable("tmpdir"));
            Address address = Address.parse("127.0.0.1:" + standby.port());

            new DiskSpace(asked, address, null, false, path -> new DiskSpace.Volume(path.equals(tmpdir), copy + log))
                    .check(orders);
            new DiskSpace(asked, address, null, false, path -> new DiskSpace.Volume("disk", 2 * copy + log))
                    .check(orders);
            assertThatThrownBy(() -> new DiskSpace(
                                    asked, address, null, false, path -> new DiskSpace.Volume("disk", copy + log))
                            .check(orders))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining("and the file system of ")
                    .hasMessageContaining("(its files) and " + tmpdir + " (the server's tmpdir) has");
        }
    }

    /** The copy of a partition takes the place of the one before it. */
    @Test
    void asksForTheSpaceOfTheLargestPartitionIfTheyAreRebuiltOneByOne() throws Exception {
        standby.execute(
                "SET SESSION sql_log_bin = 0",
                "CREATE TABLE shop.years (id INT PRIMARY KEY, pad CHAR(200) NOT NULL) PARTITION BY RANGE (id)"
                        + " SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
                        + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
                "INSERT INTO shop.years SELECT seq, 'x' FROM shop.seq_1_to_5000");
        try (Connection connection = standby.connect()) {
            StandbyQueries asked = new StandbyQueries(new ServerQueries(connection));
            List<TableSize.File> files = TableSize.files(asked, "shop", "years");
            assertThat(files).hasSize(4);
            long largest = files.stream()
                    .filter(file -> file.partition().equals("p1"))
                    .mapToLong(TableSize.File::bytes)
                    .sum();
            long free = largest + Long.parseLong(asked.queries().variable("innodb_online_alter_log_max_size"));
            Subject years = new Subject("shop", "years", TableSize.fileBytes(asked, "shop", "years"), true);
            Address address = Address.parse("127.0.0.1:" + standby.port());

            new DiskSpace(asked, address, free, true).check(years);
            assertThatThrownBy(() -> new DiskSpace(asked, address, free - 1, true).check(years))
                    .isInstanceOf(Refused.class);
            assertThatThrownBy(() -> new DiskSpace(asked, address, free, false).check(years))
                    .isInstanceOf(Refused.class);
        } finally {
            standby.execute("SET SESSION sql_log_bin = 0", "DROP TABLE shop.years");
        }
    }

    @Test
    void oneDefragmentationAtATime() throws Exception {
        try (Connection other = standby.connect();
                Statement statement = other.createStatement()) {
            statement.execute("DO GET_LOCK('understudy.defragment', 0)");

            assertThatThrownBy(() -> work(standby, "pages", OPTIONS).run(List.of("shop.orders")))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining("another defragment is at work on standby-1");
        }
    }
}
