package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.plugins.mirror.warmth.OwnLoad;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The measured warmth of a real standby: by probes, against the primary, before and after it has been warmed. */
@Timeout(180)
@Tag("long")
class MirrorWarmthServerTest {
    private static final String MIRROR = "understudy_mirror";
    private static final int ROWS = 40_000;
    private static EmbeddedPair pair;

    @BeforeAll
    static void start() {
        PairOptions defaults = PairOptions.defaults();
        pair = EmbeddedPair.start(new PairOptions(
                defaults.rtt(),
                false,
                defaults.waitPoint(),
                defaults.semiSyncTimeout(),
                defaults.parallelThreads(),
                defaults.primary().withBufferPool("128M"),
                defaults.standby()
                        .withBufferPool("128M")
                        // Otherwise it reads its pages back by itself: from the pool's dump, or by the rest of the
                        // purge.
                        .withArguments("--innodb-buffer-pool-load-at-startup=0", "--innodb-fast-shutdown=0")));
        MirroredPair.prepare(pair);
        pair.primary()
                .execute(
                        "CREATE TABLE shop.items (id INT PRIMARY KEY, note VARCHAR(2000))",
                        "INSERT INTO shop.items SELECT seq, REPEAT('x', 1500) FROM shop.seq_1_to_" + ROWS);
        pair.awaitCaughtUp(Duration.ofSeconds(30));
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static MirrorProxy proxy(String section) throws Exception {
        MirrorProxy proxy =
                MirrorProxy.start(pair.primary().port(), pair.standby().port(), section);
        proxy.awaitMirroring();
        return proxy;
    }

    private static List<GeneralLog.Line> logged(GeneralLog log, String marker) throws SQLException {
        return log.of(MIRROR, marker);
    }

    /** A probe is sent in place of the statement, so that the statement has not warmed what the probe measures. */
    @Test
    void aProbeTakesThePlaceOfTheStatementAsTextAndPrepared() throws Exception {
        GeneralLog log = new GeneralLog(pair.standby());
        try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]\nprobes: 1000");
                Connection connection = proxy.mariadb("&useServerPrepStmts=true");
                Statement text = connection.createStatement();
                PreparedStatement prepared =
                        connection.prepareStatement("SELECT note FROM items /* probe-bin */ WHERE id = ?")) {
            text.executeQuery("SELECT note FROM items /* probe-text */ WHERE id = 17")
                    .close();
            prepared.setInt(1, 20_000);
            prepared.executeQuery().close();

            await().until(() -> proxy.probes("counted") == 2);
            assertThat(logged(log, "probe-text"))
                    .extracting(GeneralLog.Line::text)
                    .containsExactly("ANALYZE FORMAT=JSON SELECT note FROM items /* probe-text */ WHERE id = 17");
            assertThat(logged(log, "probe-bin"))
                    .filteredOn(line -> line.command().equals("Execute"))
                    .extracting(GeneralLog.Line::text)
                    .containsExactly("ANALYZE FORMAT=JSON SELECT note FROM items /* probe-bin */ WHERE id = 20000");
            assertThat(proxy.executed("ok")).isEqualTo(2);
            assertThat(proxy.gauge("understudy.standby.warmth", "standby", "s1"))
                    .as("two probes are too few to know anything")
                    .isNaN();
        }
    }

    @Test
    void aRestartedStandbyIsColdUntilItsPagesHaveBeenRead() throws Exception {
        pair.standby().stop();
        pair.standby().restart();
        pair.standby().execute("SET GLOBAL read_only = 1");
        try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]\nprobes: 200");
                Connection connection = proxy.mariadb("");
                Statement statement = connection.createStatement()) {
            assertThat(excess(proxy, "estimate")).isNaN();
            SplittableRandom random = new SplittableRandom(7);
            await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).until(() -> {
                read(statement, random, 20);
                return !Double.isNaN(excess(proxy, "estimate"));
            });
            double cold = excess(proxy, "estimate");
            assertThat(cold)
                    .as("excess of a cold standby: %s", proxy.standbys())
                    .isGreaterThan(0.3);
            assertThat(excess(proxy, "low")).isLessThan(cold).isPositive();
            assertThat(excess(proxy, "high")).isGreaterThan(cold);
            assertThat(String.valueOf(proxy.view())).contains("table=shop.items");
            assertThat(String.valueOf(proxy.standbys()))
                    .contains("method=probes")
                    .contains("state=known");

            try (Connection direct = pair.standby().connect();
                    Statement scan = direct.createStatement()) {
                scan.executeQuery("SELECT SUM(LENGTH(note)) FROM shop.items").close();
            }
            await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).until(() -> {
                read(statement, random, 20);
                return excess(proxy, "estimate") < 0.1;
            });
            assertThat(proxy.gauge("understudy.standby.warmth", "standby", "s1"))
                    .isGreaterThan(0.7);
        }
    }

    /** What mirroring is for: the pages are in the standby's pool, as it counts them itself. */
    @Test
    void thePagesOfMirroredReadsAreInTheStandbysPool() throws Exception {
        pair.standby().stop();
        pair.standby().restart();
        pair.standby().execute("SET GLOBAL read_only = 1");
        try (Connection standby = pair.standby().connect();
                Statement direct = standby.createStatement()) {
            int before = residentPages();
            try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]\nprobes: 0\nqueue: { age: 60s }");
                    Connection connection = proxy.mariadb("");
                    Statement statement = connection.createStatement()) {
                int reads = readHalf(statement, 1);
                await().until(() -> proxy.executed("ok") == reads);
                int mirrored = residentPages();
                assertThat(mirrored - before)
                        .as("pages of the rows that clients read from the primary")
                        .isGreaterThanOrEqualTo(reads);
                direct.execute("USE shop");
                readHalf(direct, 1);
                assertThat(residentPages())
                        .as("the promoted standby reads none of them")
                        .isEqualTo(mirrored);
                readHalf(direct, ROWS / 2 + 1);
                assertThat(residentPages() - mirrored)
                        .as("others it has to read, so the counter would show them")
                        .isGreaterThanOrEqualTo(reads);
            }
        }
    }

    /** Reads rows of one half of the table, each on a page of its own. Returns their number. */
    private static int readHalf(Statement statement, int from) throws SQLException {
        int step = 50;
        for (int id = from; id < from + ROWS / 2; id += step) {
            statement.executeQuery("SELECT note FROM items WHERE id = " + id).close();
        }
        return ROWS / 2 / step;
    }

    private static int residentPages() {
        return Integer.parseInt(pair.standby()
                .query("SELECT COUNT(*) FROM information_schema.INNODB_BUFFER_PAGE"
                        + " WHERE TABLE_NAME = '`shop`.`items`'"));
    }

    @Test
    void aRestartWhileTheProxyRunsStartsTheWarmthAnew() throws Exception {
        try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]\nprobes: 200");
                Connection connection = proxy.mariadb("");
                Statement statement = connection.createStatement()) {
            try (Connection direct = pair.standby().connect();
                    Statement scan = direct.createStatement()) {
                scan.executeQuery("SELECT SUM(LENGTH(note)) FROM shop.items").close();
            }
            SplittableRandom random = new SplittableRandom(11);
            await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).until(() -> {
                read(statement, random, 20);
                return excess(proxy, "estimate") < 0.1;
            });
            assertThat(warmth(proxy).get("referenceFrom")).isEqualTo("first_probes");
            await().untilAsserted(() -> assertThat(warmth(proxy).get("ownLoad"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("loadsAtStartup", false)
                    .containsEntry("dumpsAtShutdown", true)
                    .containsEntry("state", "none"));

            pair.standby().stop();
            pair.standby().restart();
            pair.standby().execute("SET GLOBAL read_only = 1");

            await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).until(() -> {
                read(statement, random, 20);
                return "restart".equals(warmth(proxy).get("referenceFrom"));
            });
            assertThat(excess(proxy, "estimate")).isGreaterThan(0.3);
            assertThat(proxy.gauge("understudy.standby.warmth", "standby", "s1"))
                    .isLessThan(0.3);
        }
    }

    @Test
    void theServersOwnLoadIsReadFromItsSettingsAndStatus() throws Exception {
        try (Connection connection = pair.primary().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL innodb_buffer_pool_dump_now = ON");
            await().until(() -> {
                try (ResultSet rows =
                        statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_dump_status'")) {
                    return rows.next() && rows.getString(2).contains("completed");
                }
            });
            statement.execute("SET GLOBAL innodb_buffer_pool_load_now = ON");
            await().until(() -> OwnLoad.read(connection).state().equals("completed"));
            OwnLoad own = OwnLoad.read(connection);
            assertThat(own.poolBytes()).isEqualTo(128L << 20);
            assertThat(own.dumpPercent()).isEqualTo(25);
            assertThat(own.effective()).isTrue();
        }
    }

    private static Map<?, ?> warmth(MirrorProxy proxy) {
        Map<?, ?> standby = (Map<?, ?>) ((List<?>) proxy.standbys()).get(0);
        return (Map<?, ?>) Objects.requireNonNull(standby.get("warmth"));
    }

    private static double excess(MirrorProxy proxy, String bound) {
        return proxy.gauge("understudy.standby.excess.pages", "standby", "s1", "bound", bound);
    }

    private static void read(Statement statement, SplittableRandom random, int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            try (ResultSet rows =
                    statement.executeQuery("SELECT note FROM items WHERE id = " + (1 + random.nextInt(ROWS)))) {
                rows.next();
            }
        }
    }
}
