package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.plugins.commitlatency.WitnessedCommits.Joined;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks that every commit of several sessions through the real proxy is found and joined with the right transaction.
 * Each client records its commits and the GTID of each ({@code @@last_gtid}). The annotated row events of the binary
 * log show which client wrote which row under each GTID, and in how many bytes. {@code -Dunderstudy.it.commits=100000}
 * makes a long run.
 */
@Tag("long")
@Timeout(600)
class EveryCommitTest {
    private static final int CLIENTS = 8;
    private static final int COMMITS = Integer.getInteger("understudy.it.commits", 4_000);
    private static final Pattern ROW = Pattern.compile("INSERT INTO every_commit VALUES \\((\\d+), ?(\\d+)\\)");
    private static final Pattern GTID = Pattern.compile("GTID (\\d+-\\d+-\\d+)");

    /** Events outside of transactions. */
    private static final Set<String> BETWEEN =
            Set.of("Format_desc", "Gtid_list", "Binlog_checkpoint", "Rotate", "Stop", "Start_encryption");

    /** A commit of a client; {@code number} is null if it wrote no row. */
    private record Done(String kind, @Nullable Integer number, String gtid) {}

    /** The content of the binary log for one GTID. */
    private static final class Logged {
        private long bytes;
        private String row = "";
    }

    @Test
    void everyCommitIsJoinedWithItsOwnTransaction() throws Exception {
        try (MariaDbSemiSyncPair pair = new MariaDbSemiSyncPair()) {
            pair.pair()
                    .primary()
                    .execute(
                            "CREATE TABLE shop.every_commit (client INT, number INT, PRIMARY KEY (client, number))",
                            "CREATE PROCEDURE shop.twice(c INT, n INT) MODIFIES SQL DATA BEGIN"
                                    + " DELETE FROM shop.every_commit WHERE client = c AND number = n; COMMIT; END");
            for (int c = 0; c < CLIENTS; c++) {
                pair.pair().createAccount("app" + c, CommitProxy.PASSWORD, "ALL ON shop.*");
            }
            String from = pair.pair().primary().query("SHOW MASTER STATUS");
            pair.pair().primary().execute("FLUSH BINARY LOGS");
            try (CommitProxy proxy = new CommitProxy(pair.address(), "poll: 500ms, slow: 0s, expire: 1m").streaming()) {
                List<List<Done>> done = run(proxy);
                int total = done.stream().mapToInt(List::size).sum();
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() ->
                                assertThat(lost(done, proxy)).as(proxy.view()).isEmpty());
                assertThat(proxy.view()).contains("unattributed={}").contains("binlogGaps={}");
                assertThat(proxy.commits.count()).as("commits joined").isEqualTo(total);
                compare(done, proxy.commits.all(), logged(pair, from));
                System.getLogger("every-commit")
                        .log(System.Logger.Level.INFO, "{0} commits, none lost, none matched wrongly", total);
            }
        }
    }

    /** Returns the first few commits that were not joined. */
    private static List<Done> lost(List<List<Done>> done, CommitProxy proxy) {
        Set<String> told = proxy.commits.all().stream().map(Joined::told).collect(Collectors.toSet());
        return done.stream()
                .flatMap(List::stream)
                .filter(one -> !told.contains(one.gtid()))
                .limit(10)
                .toList();
    }

    private static void compare(List<List<Done>> done, List<Joined> joined, Map<String, Logged> logged) {
        Map<String, List<Joined>> byUser = new HashMap<>();
        joined.forEach(commit ->
                byUser.computeIfAbsent(commit.user(), user -> new ArrayList<>()).add(commit));
        for (int c = 0; c < CLIENTS; c++) {
            List<Joined> found = byUser.getOrDefault("app" + c, List.of());
            List<Done> own = done.get(c);
            assertThat(found).as("commits of client " + c).hasSameSizeAs(own);
            for (int i = 0; i < own.size(); i++) {
                Done expected = own.get(i);
                Joined commit = found.get(i);
                String what = "client " + c + ", commit " + i + ": " + expected;
                assertThat(commit.told()).as(what).isEqualTo(expected.gtid());
                assertThat(commit.event()).as(what).isEqualTo(expected.gtid());
                assertThat(commit.kind()).as(what).isEqualTo(expected.kind());
                Logged truth = logged.get(expected.gtid());
                assertThat(truth).as(what).isNotNull();
                assertThat(commit.bytes()).as(what).isEqualTo(truth.bytes);
                if (expected.number() != null) {
                    assertThat(truth.row).as(what).isEqualTo(c + "/" + expected.number());
                }
            }
        }
    }

    private static List<List<Done>> run(CommitProxy proxy) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<List<Done>>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                running.add(threads.submit(() -> client(proxy, client)));
            }
            List<List<Done>> all = new ArrayList<>();
            for (Future<List<Done>> future : running) {
                all.add(future.get(500, TimeUnit.SECONDS));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Half of the clients prepare their statements on the server, the other half send text. */
    private static List<Done> client(CommitProxy proxy, int client) throws SQLException {
        List<Done> done = new ArrayList<>();
        String options = "&useServerPrepStmts=" + (client % 2 == 0);
        try (Connection connection = proxy.connect("app" + client, options);
                Statement statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO every_commit VALUES (?, ?)");
                PreparedStatement own = connection.prepareStatement("SELECT @@last_gtid")) {
            for (int i = 0; done.size() < COMMITS / CLIENTS; i++) {
                insert.setInt(1, client);
                insert.setInt(2, i);
                if (i % 10 == 3) {
                    connection.setAutoCommit(false);
                    insert.executeUpdate();
                    statement.executeQuery("SELECT 1").close();
                    connection.commit();
                    connection.setAutoCommit(true);
                    done.add(new Done("commit", i, gtid(own)));
                } else if (i % 10 == 5) {
                    // A transaction that is rolled back or only reads is not a commit.
                    connection.setAutoCommit(false);
                    insert.executeUpdate();
                    connection.rollback();
                    statement
                            .executeQuery(
                                    "SELECT COUNT(*) FROM every_commit WHERE client = " + client + " AND number = 0")
                            .close();
                    connection.commit();
                    connection.setAutoCommit(true);
                } else if (i % 10 == 7) {
                    insert.executeUpdate();
                    done.add(new Done("autocommit", i, gtid(own)));
                    statement.execute("CALL twice(" + client + ", " + i + ")");
                    done.add(new Done("autocommit", null, gtid(own)));
                } else if (i % 250 == 249) {
                    statement.execute("CREATE TABLE t" + client + "_" + i + " (id INT)");
                    done.add(new Done("ddl", null, gtid(own)));
                    statement.execute("DROP TABLE t" + client + "_" + i);
                    done.add(new Done("ddl", null, gtid(own)));
                } else {
                    insert.executeUpdate();
                    done.add(new Done("autocommit", i, gtid(own)));
                }
            }
        }
        return done;
    }

    private static String gtid(PreparedStatement own) throws SQLException {
        try (ResultSet rows = own.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Returns the content of the binary log files after {@code from}, by GTID. */
    private static Map<String, Logged> logged(MariaDbSemiSyncPair pair, String from) throws SQLException {
        Map<String, Logged> all = new HashMap<>();
        List<String> files = new ArrayList<>();
        try (Connection connection = pair.connect();
                Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SHOW BINARY LOGS")) {
                while (rows.next()) {
                    if (rows.getString(1).compareTo(from) > 0) {
                        files.add(rows.getString(1));
                    }
                }
            }
            for (String file : files) {
                read(statement, file, all);
            }
        }
        return all;
    }

    private static void read(Statement statement, String file, Map<String, Logged> all) throws SQLException {
        statement.setFetchSize(1_000);
        Logged current = new Logged();
        Logged previous = current;
        long began = 0;
        long end = 0;
        try (ResultSet rows = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
            while (rows.next()) {
                String info = String.valueOf(rows.getString("Info"));
                if (rows.getString("Event_type").equals("Gtid")) {
                    Matcher gtid = GTID.matcher(info);
                    assertThat(gtid.find()).as(info).isTrue();
                    current = new Logged();
                    all.put(gtid.group(1), current);
                } else if (BETWEEN.contains(rows.getString("Event_type"))) {
                    current = new Logged();
                }
                // An event's length is derived from the start of the next one, because not all events carry their end
                // position.
                previous.bytes += rows.getLong("Pos") - began;
                began = rows.getLong("Pos");
                end = rows.getLong("End_log_pos");
                // Annotate_rows events are not sent to a reader that does not request them.
                previous = rows.getString("Event_type").equals("Annotate_rows") ? new Logged() : current;
                Matcher row = ROW.matcher(info);
                if (row.find()) {
                    current.row = row.group(1) + "/" + row.group(2);
                }
            }
        }
        previous.bytes += end - began; // the last event of the file
    }
}
