package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.pages.PagesAccount;
import io.understudy.pages.ServerQueries;
import io.understudy.pages.TableOrPartition;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds and refusals on a primary and its standby. */
class DefragmentationTest {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final Bounds CALM =
            new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(20), 64, 200, Duration.ofSeconds(30));
    private static final Defragmentation.Options OPTIONS =
            new Defragmentation.Options(CALM, 1L << 40, true, false, false);

    private static EmbeddedPair pair;
    private static EmbeddedServer primary;
    private static EmbeddedServer standby;

    private final StringWriter log = new StringWriter();

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        primary = pair.primary();
        standby = pair.standby();
        primary.execute("CREATE DATABASE shop", "CREATE DATABASE other");
        for (EmbeddedServer server : List.of(primary, standby)) {
            server.execute(
                    "SET SESSION sql_log_bin = 0",
                    "CREATE USER pages@'%' IDENTIFIED BY 'pages'",
                    "GRANT PROCESS, BINLOG ADMIN, READ_ONLY ADMIN, REPLICA MONITOR ON *.* TO pages@'%'",
                    "GRANT SELECT ON mysql.innodb_index_stats TO pages@'%'",
                    "GRANT SELECT, INSERT, ALTER, CREATE ON `shop`.* TO pages@'%'",
                    "CREATE USER weak@'%' IDENTIFIED BY 'weak'",
                    "GRANT REPLICA MONITOR ON *.* TO weak@'%'");
        }
        load("orders", 2_000);
        pair.awaitCaughtUp(MOST);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @AfterEach
    void heal() {
        standby.execute("SET GLOBAL read_only = 1", "START SLAVE");
        Awaitility.await()
                .atMost(MOST)
                .until(() -> standby.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'pages'")
                        .equals("0"));
    }

    private static void load(String table, int rows) {
        primary.execute(
                "CREATE TABLE shop." + table
                        + " (id INT PRIMARY KEY, k INT NOT NULL, c VARCHAR(80) NOT NULL, pad CHAR(100) NOT NULL, KEY"
                        + " k(k), KEY c(c))",
                "INSERT INTO shop." + table
                        + " SELECT seq, CRC32(seq) % 1000000, CONCAT(MD5(seq), REPEAT('c', CRC32(seq * 3) % 40)), 'x'"
                        + " FROM shop.seq_1_to_" + rows);
    }

    private Defragmentation work(EmbeddedServer server, String user, Defragmentation.Options options) throws Exception {
        return new Defragmentation(
                account(server, user),
                options,
                new ProgressOutput(new PrintWriter(log, true), false),
                MirroredReads.NONE);
    }

    private static PagesAccount account(EmbeddedServer server, String user) throws Exception {
        var config = ConfigLoader.load("""
                        primary: { address: "localhost:1" }
                        standbys: [ { name: standby-1, address: "127.0.0.1:%d", user: x, tls: { mode: disabled } } ]
                        pages: { user: %s, password: %s }
                        """.formatted(server.port(), user, user), "test", Map.of(), name -> null)
                .config();
        return PagesAccount.of(config, "standby-1");
    }

    private Defragmentation work(MirroredReads reads) throws Exception {
        return new Defragmentation(
                account("pages"), with(CALM), new ProgressOutput(new PrintWriter(log, true), false), reads);
    }

    private static PagesAccount account(String user) throws Exception {
        return account(standby, user);
    }

    private Map<String, Object> only(Defragmentation.Result result) {
        assertThat(result.tables()).hasSize(1);
        return result.tables().get(0);
    }

    private Map<String, Object> refusal(String table, Defragmentation.Options options) throws Exception {
        Map<String, Object> outcome = only(work(standby, "pages", options).run(List.of(table)));
        assertThat(outcome).containsEntry("state", "refused");
        return outcome;
    }

    private static String checksum(EmbeddedServer server, String table) throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("CHECKSUM TABLE " + table)) {
            rows.next();
            return rows.getString(2);
        }
    }

    private static Defragmentation.Options with(Bounds bounds) {
        return new Defragmentation.Options(bounds, 1L << 40, false, false, false);
    }

    private static long pages(Map<String, Object> outcome, String key) {
        return outcome.get(key) instanceof Map<?, ?> indexes && indexes.get("PRIMARY") instanceof Long pages
                ? pages
                : fail("no %s in %s", key, outcome);
    }

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
            RedoLog log = new RedoLog(new StandbyQueries(new ServerQueries(connection)));

            assertThat(log.warning(1 << 20)).isEmpty();
            assertThat(log.warning(1L << 30))
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

    /** The applier's statement waits for the rebuild, and is executed right after it. */
    @Test
    void failsIfTheTableIsRenamedMeanwhile() throws Exception {
        load("leaving", 60_000);
        pair.awaitCaughtUp(MOST);
        CompletableFuture<Defragmentation.Result> result = begin("shop.leaving");
        try (Connection applier = standby.connect();
                Statement statement = applier.createStatement()) {
            statement.execute("SET SESSION sql_log_bin = 0");
            awaitRebuild();
            statement.execute("RENAME TABLE shop.leaving TO shop.left");

            Map<String, Object> outcome = only(result.get(MOST.toSeconds(), TimeUnit.SECONDS));
            assertThat(outcome).as("%s", log).containsEntry("state", "failed");
            assertThat(outcome.get("leafPagesAfter")).isNull();
            assertThat((String) outcome.get("why")).contains("its files are gone", "dropped or renamed it meanwhile");
            statement.execute("RENAME TABLE shop.left TO shop.leaving");
        }
    }

    /** An online schema change exchanges tables at its end. */
    @Test
    void endsTheRebuildWhenReplicationExchangesTheTable() throws Exception {
        load("exchanged", 120_000);
        primary.execute("CREATE TABLE shop._exchanged_gho LIKE shop.exchanged");
        pair.awaitCaughtUp(MOST);
        CompletableFuture<Defragmentation.Result> result = begin("shop.exchanged");
        awaitRebuild();

        primary.execute("/* gh-ost */ rename /* gh-ost */ table `shop`.`exchanged` to `shop`.`_exchanged_del`,"
                + " `shop`.`_exchanged_gho` to `shop`.`exchanged`");

        Map<String, Object> outcome = only(result.get(MOST.toSeconds(), TimeUnit.SECONDS));
        assertThat(outcome).as("%s", log).containsEntry("state", "ended");
        assertThat((String) outcome.get("why")).contains("replication waits for the table with: /* gh-ost */ rename");
        pair.awaitCaughtUp(MOST);
        assertThat(standby.query("SELECT COUNT(*) FROM shop.exchanged")).isEqualTo("0");
        assertThat(checksum(standby, "shop._exchanged_del")).isEqualTo(checksum(primary, "shop._exchanged_del"));
    }

    /** The figures after the rebuild would be those of the other table. */
    @Test
    void failsIfAnotherTableTookTheNameMeanwhile() throws Exception {
        load("taken", 60_000);
        primary.execute("CREATE TABLE shop._taken_gho LIKE shop.taken");
        pair.awaitCaughtUp(MOST);
        try (Connection applier = standby.connect();
                Statement statement = applier.createStatement()) {
            statement.execute("SET SESSION sql_log_bin = 0");
            CompletableFuture<Defragmentation.Result> result = begin("shop.taken");
            awaitRebuild();
            statement.execute("RENAME TABLE shop.taken TO shop._taken_del, shop._taken_gho TO shop.taken");

            Map<String, Object> outcome = only(result.get(MOST.toSeconds(), TimeUnit.SECONDS));
            assertThat(outcome).as("%s", log).containsEntry("state", "failed");
            assertThat(outcome.get("leafPagesAfter")).isNull();
            assertThat((String) outcome.get("why")).contains("another table has its name");
            statement.execute("RENAME TABLE shop.taken TO shop._taken_gho, shop._taken_del TO shop.taken");
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

    private CompletableFuture<Defragmentation.Result> begin(String table) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work(standby, "pages", with(CALM)).run(List.of(table));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void awaitRebuild() {
        Awaitility.await()
                .atMost(MOST)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> !processes("STATE LIKE 'alter%'").equals("0"));
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
            primary.execute("CREATE TABLE " + ServerQueries.name(table.schema()) + "."
                    + ServerQueries.name(table.table()) + " (id INT PRIMARY KEY, k INT, KEY k(k)) CHARSET"
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

    /** A rebuild that nobody watches would know no bounds. What was done before stays in the result. */
    @Test
    void aLostConnectionEndsTheRebuild() throws Exception {
        load("done", 100);
        pair.awaitCaughtUp(MOST);
        try (Connection reader = standby.connect();
                Statement holding = reader.createStatement()) {
            holding.execute("START TRANSACTION");
            holding.execute("SELECT COUNT(*) FROM shop.orders");
            CompletableFuture<Defragmentation.Result> result = CompletableFuture.supplyAsync(() -> {
                try {
                    return work(standby, "pages", OPTIONS).run(List.of("shop.done", "shop.orders", "shop.done"));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await()
                    .atMost(MOST)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> !processes("INFO LIKE 'ALTER%orders%'").equals("0"));

            standby.execute("SET SESSION sql_log_bin = 0", "KILL " + watcher());

            Defragmentation.Result ended = result.get(MOST.toSeconds(), TimeUnit.SECONDS);
            assertThat(processes("INFO LIKE 'ALTER%'")).isEqualTo("0");
            assertThat(ended.tables())
                    .as("%s", log)
                    .extracting(table -> table.get("state"))
                    .containsExactly("rebuilt", "failed", "ended");
            assertThat((String) ended.tables().get(2).get("why")).contains("not begun, as a connection");
            assertThat(ended.errant()).isEmpty();
            assertThat(ended.succeeded()).isFalse();
        }
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

    /** A promotion may set read_only to 0 long before it ends replication. */
    @Test
    void endsWhenTheStandbyBecomesWritable() throws Exception {
        try (Connection reader = standby.connect();
                Statement holding = reader.createStatement()) {
            holding.execute("START TRANSACTION");
            holding.execute("SELECT COUNT(*) FROM shop.orders");
            Defragmentation work = work(standby, "pages", with(CALM));
            CompletableFuture<Defragmentation.Result> result = CompletableFuture.supplyAsync(() -> {
                try {
                    return work.run(List.of("shop.orders"));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await()
                    .atMost(MOST)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> log.toString().contains("rebuilding"));

            standby.execute("SET GLOBAL read_only = 0");

            Map<String, Object> outcome = only(result.get(MOST.toSeconds(), TimeUnit.SECONDS));
            assertThat(outcome).containsEntry("state", "ended");
            assertThat((String) outcome.get("why")).contains("the server is writable");
        }
    }

    private static String processes(String condition) {
        return standby.query(
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'pages' AND " + condition);
    }

    /** Returns the connection that does not rebuild. */
    private static String watcher() {
        return standby.query("SELECT IS_USED_LOCK('understudy.defragment')");
    }

    @Test
    void waitsWhileTheStandbyIsBehindAndGivesUp() throws Exception {
        Bounds impatient = new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(9), 0, 200, Duration.ofSeconds(1));

        Map<String, Object> outcome =
                only(work(standby, "pages", with(impatient)).run(List.of("shop.orders")));

        assertThat(outcome).containsEntry("state", "failed");
        assertThat((String) outcome.get("why")).contains("waited 1 s, and still Threads_running is");
        assertThat(log.toString()).contains("waiting, as Threads_running is");
    }

    /** A transaction that has read the table blocks the rebuild, and each waiting rebuild blocks the applier. */
    @Test
    void givesUpOnATableThatStaysInUse() throws Exception {
        try (Connection reader = standby.connect();
                Statement statement = reader.createStatement()) {
            statement.execute("START TRANSACTION");
            statement.execute("SELECT COUNT(*) FROM shop.orders");

            Map<String, Object> outcome = only(work(standby, "pages", OPTIONS).run(List.of("shop.orders")));

            assertThat(outcome).containsEntry("state", "failed");
            assertThat((String) outcome.get("why")).contains("keep the table in use");
            assertThat(log.toString()).contains("holds the table", "trying again");
        }
    }

    @Test
    void endsAboveTheHardBoundAndLeavesTheTableUnchanged() throws Exception {
        load("ended", 40_000);
        pair.awaitCaughtUp(MOST);
        String sum = checksum(standby, "shop.ended");
        Bounds hard = new Bounds(Duration.ofSeconds(5), Duration.ofSeconds(9), 64, 0, Duration.ofSeconds(5));

        Map<String, Object> outcome = only(work(standby, "pages", with(hard)).run(List.of("shop.ended")));

        assertThat(outcome).containsEntry("state", "ended");
        assertThat((String) outcome.get("why")).startsWith("Threads_running is");
        assertThat(log.toString()).contains("shop.ended: ended: Threads_running is");
        assertThat(checksum(standby, "shop.ended")).isEqualTo(sum);
        assertThat(standby.query(
                        "SELECT COUNT(*) FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE '%#sql%'"))
                .isEqualTo("0");
    }

    @Test
    void aSignalEndsARunningRebuild() throws Exception {
        load("stopped", 40_000);
        pair.awaitCaughtUp(MOST);
        Defragmentation work = work(standby, "pages", with(CALM));
        CompletableFuture<Defragmentation.Result> result = CompletableFuture.supplyAsync(() -> {
            try {
                return work.run(List.of("shop.stopped", "shop.orders"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Awaitility.await()
                .atMost(MOST)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> log.toString().contains("rebuilding"));

        work.stop();

        Defragmentation.Result ended = result.get(MOST.toSeconds(), TimeUnit.SECONDS);
        assertThat(ended.tables()).hasSize(2);
        assertThat(ended.tables().get(1)).containsEntry("state", "ended");
        assertThat(ended.allRebuilt()).isFalse();
        assertThat(checksum(standby, "shop.stopped")).isEqualTo(checksum(primary, "shop.stopped"));
    }
}
