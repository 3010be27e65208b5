package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The black box where sessions change between domains, and MariaDB leaves GTIDs out of its responses. */
@Tag("long")
@Timeout(180)
class BlackBoxTagsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int WRITERS = 3;
    private static final Pattern ROW = Pattern.compile("INSERT INTO t\\d VALUES \\('', (\\d+), (\\d+)\\)");
    private static final String TAGS = """
              gtid-domain:
                mode: tag
                learn: 0s
                rules:
                  - { name: one, match: { table: [shop.t1] }, domain: 21 }
                  - { name: two, match: { table: [shop.t2] }, domain: 22 }
            """;

    private static EmbeddedPair pair() {
        EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.primary().execute("CREATE DATABASE shop");
        for (int table = 0; table < 3; table++) {
            pair.primary().execute("CREATE TABLE shop.t" + table + " (gtid VARCHAR(40), w INT, n INT)");
        }
        pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON *.*");
        pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "ALL ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        return pair;
    }

    /** One session goes from domain to domain: none of its commits may count as not answered. */
    @Test
    void everyCommitOfASessionThatAlternatesIsAnswered() throws Exception {
        try (EmbeddedPair pair = pair();
                BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms")) {
            proxy.awaitReading();
            pair.standby().execute("STOP SLAVE");
            try (Connection app = proxy.connect();
                    Statement statement = app.createStatement()) {
                for (int round = 0; round < 4; round++) {
                    for (int domain = 21; domain <= 23; domain++) {
                        statement.execute("SET gtid_domain_id=" + domain);
                        statement.execute("INSERT INTO t1 VALUES ('', 1, 1)");
                    }
                }
                statement.execute("SET gtid_domain_id=24");
                statement.execute("UPDATE t1 SET n = n");
                statement.execute("SET sql_log_bin=0");
                statement.execute("INSERT INTO t1 VALUES ('', 1, 2)");
                statement.execute("SET sql_log_bin=1");
                statement.execute("INSERT INTO t1 VALUES ('', 1, 3)");
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(proxy.lost().number("answeredAndMissing", "captured"))
                            .isEqualTo(12 + 1));
            LostView lost = proxy.lost();
            assertThat(lost.number("answeredAndMissing", "notCaptured")).isZero();
            assertThat(lost.number("missingNotKnownAnswered", "count")).isZero();
            assertThat(lost.number("answeredNumberUnknown", "count")).isZero();
        }
    }

    /** {@code -Dunderstudy.it.kills=10} for the figures. */
    static IntStream rounds() {
        return IntStream.rangeClosed(1, Integer.getInteger("understudy.it.kills", 1));
    }

    /** The proxy has seen OKs for 0.4 s whose events it never gets. */
    @ParameterizedTest
    @MethodSource("rounds")
    void namesEveryLostCommitThoughTheDumpIsBehind(int round) throws Exception {
        try (EmbeddedPair pair = pair();
                LateDump late = new LateDump(pair.primary().address(), 400);
                BlackBoxProxy proxy = BlackBoxProxy.start(
                        late.address(), pair.standby().address(), "memory: 64MiB, poll: 100ms", "disabled", TAGS)) {
            proxy.awaitReading();
            assertThat(late.delays()).as("it sees the dump's command").isTrue();
            Set<String> answered = ConcurrentHashMap.newKeySet();
            List<Thread> writers = IntStream.range(0, WRITERS)
                    .mapToObj(number -> new Thread(() -> write(number, proxy, answered)))
                    .toList();
            writers.forEach(Thread::start);
            await().atMost(PATIENCE).until(() -> answered.size() > 500);
            pair.link().refuse();
            pair.link().cut();
            await().atMost(PATIENCE).until(() -> proxy.lostNow().number("answeredAndMissing", "captured") > 20);
            pair.primary().kill();
            for (Thread writer : writers) {
                writer.join();
            }
            await().atMost(PATIENCE).until(() -> received(pair.standby()).equals(applied(pair.standby())));
            LostView lost = proxy.lostNow();
            pair.primary().restart();
            Set<String> missing = new HashSet<>(answered);
            missing.removeAll(rows(pair.standby()));

            Named named = Named.of(lost, rowsByGtid(pair.primary()));
            Set<String> nowhere = new HashSet<>(missing);
            nowhere.removeAll(named.answered());
            nowhere.removeAll(named.notAnswered());
            nowhere.removeAll(named.numberUnknown());
            Set<String> wrong = new HashSet<>(missing);
            wrong.retainAll(named.notAnswered());
            named.answered().stream().filter(row -> !missing.contains(row)).forEach(wrong::add);
            System.out.println("round " + round + ": answered " + answered.size() + ", lost " + missing.size()
                    + ", listed " + lost.number("answeredAndMissing", "count") + ", of these not captured "
                    + lost.number("answeredAndMissing", "notCaptured") + ", number unknown "
                    + lost.number("answeredNumberUnknown", "count") + ", named nowhere " + nowhere.size()
                    + ", in a wrong class " + wrong.size());
            assertThat(missing).as("a report lists up to a thousand").hasSizeBetween(1, 1_000);
            assertThat(nowhere).as("named nowhere").isEmpty();
            assertThat(wrong).as("in a wrong class").isEmpty();
            assertThat(lost.number("answeredNumberUnknown", "count"))
                    .as("each session's last one may be, and a BEGIN whose response came ahead of the log")
                    .isLessThanOrEqualTo(WRITERS + missing.size() / 4);
        }
    }

    private static Set<String> received(EmbeddedServer standby) throws SQLException {
        return Set.of(BlackBoxTools.column(standby, "SHOW ALL SLAVES STATUS", "Gtid_IO_Pos")
                .split(","));
    }

    private static Set<String> applied(EmbeddedServer standby) {
        return Set.of(standby.query("SELECT @@global.gtid_slave_pos").split(","));
    }

    /** Goes from one tagged table to the other, so that their domains keep pace, and at times to the untagged one. */
    private static void write(int number, BlackBoxProxy proxy, Set<String> answered) {
        try (Connection app = proxy.connect();
                Statement statement = app.createStatement()) {
            for (int n = 1; ; n++) {
                boolean untagged = ThreadLocalRandom.current().nextInt(8) == 0;
                int table = untagged ? 0 : 1 + (n + number) % 2;
                String row = "INSERT INTO t" + table + " VALUES ('', " + number + ", " + n + ")";
                if (untagged) {
                    statement.execute("BEGIN");
                    statement.execute(row);
                    statement.execute("COMMIT");
                } else {
                    statement.execute(row);
                }
                answered.add(number + "-" + n);
                statement.execute("DO SLEEP(0.003)"); // else a report cannot list all
            }
        } catch (SQLException gone) {
            // The expected end.
        }
    }

    private static Set<String> rows(EmbeddedServer server) throws SQLException {
        Set<String> all = new HashSet<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (int table = 0; table < 3; table++) {
                try (ResultSet rows = statement.executeQuery("SELECT CONCAT(w, '-', n) FROM shop.t" + table)) {
                    while (rows.next()) {
                        all.add(rows.getString(1));
                    }
                }
            }
        }
        return all;
    }

    /** Reads which transaction wrote which row from the primary's binary log, which names the statements, too. */
    private static Map<String, String> rowsByGtid(EmbeddedServer primary) throws SQLException {
        Map<String, String> all = new HashMap<>();
        try (Connection connection = primary.connect();
                Statement statement = connection.createStatement();
                ResultSet events = statement.executeQuery("SHOW BINLOG EVENTS")) {
            String gtid = "";
            while (events.next()) {
                String info = events.getString("Info");
                Matcher row = ROW.matcher(info);
                if (info.startsWith("BEGIN GTID ")) {
                    gtid = info.split(" ")[2];
                } else if (row.find()) {
                    all.put(gtid, row.group(1) + "-" + row.group(2));
                }
            }
        }
        return all;
    }

    /** The rows of the transactions that a report names. */
    private record Named(Set<String> answered, Set<String> notAnswered, Set<String> numberUnknown) {
        static Named of(LostView lost, Map<String, String> rowsByGtid) {
            return new Named(
                    rows(lost, "answeredAndMissing", rowsByGtid),
                    rows(lost, "missingNotKnownAnswered", rowsByGtid),
                    rows(lost, "answeredNumberUnknown", rowsByGtid));
        }

        private static Set<String> rows(LostView lost, String section, Map<String, String> rowsByGtid) {
            Set<String> rows = new HashSet<>();
            for (Object each : (List<?>) Views.value(Views.map(Views.value(lost.all(), section)), "transactions")) {
                Object gtid = Views.value(Views.map(each), "gtid");
                rows.add(rowsByGtid.getOrDefault(gtid, "no row of " + gtid));
            }
            return rows;
        }
    }
}
