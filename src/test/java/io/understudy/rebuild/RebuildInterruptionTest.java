package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What ends a running rebuild, and how it leaves the table. */
@Tag("long")
class RebuildInterruptionTest extends DefragmentedPair {
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
