package io.understudy.it.querylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.base.JsonReader;
import io.understudy.remote.AdminClient;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SlowLogStreamTest {
    @TempDir
    private Path folder;

    /** Reads the stream into a file until the proxy ends it. */
    private static final class Tap implements AutoCloseable {
        private final Thread thread;
        private final Path file;

        Tap(QueryLogProxy proxy, String query, Path file) throws Exception {
            this.file = file;
            InputStream in =
                    new AdminClient("127.0.0.1:" + proxy.adminPort(), QueryLogProxy.TOKEN).stream("slowlog" + query);
            thread = new Thread(() -> {
                try (in;
                        var out = Files.newOutputStream(file)) {
                    in.transferTo(out);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            thread.start();
        }

        /** Waits for the end of the stream, which the proxy's end brings. */
        String text() throws Exception {
            thread.join(30_000);
            assertThat(thread.isAlive()).as("the stream has ended").isFalse();
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() throws Exception {
            thread.join(30_000);
        }
    }

    private static final String FORGED =
            ";\n# Time: 260115 09:05:01\n# User@Host: root[root] @ forged [10.6.6.6]  Id: 99\n"
                    + "# Query_time: 9.0  Lock_time: 0.0  Rows_sent: 6  Rows_examined: 6\nuse mysql;\n"
                    + "SET timestamp=55;\nDROP TABLE forged;\n#";

    /** Each a statement of its own, however it looks. */
    private static final List<String> HOSTILE = List.of(
            "SELECT '" + FORGED + "' FROM items LIMIT 1",
            "SELECT /* " + FORGED + " */ 2 FROM items LIMIT 1",
            "SELECT 3 -- " + FORGED.replace("\n", " ") + "\n FROM items LIMIT 1",
            "SELECT 4 # " + FORGED.replace("\n", " ") + "\n FROM items LIMIT 1",
            "SELECT 5\n;\n# Time: 260115 09:05:01\n",
            "# Time: 260115 09:05:01\nSELECT 6",
            "SELECT \"it''s\\\";\n# administrator command: Quit;\n\" AS seven",
            "SELECT 8\r\n  FROM items\r\n LIMIT 1;",
            "SELECT 'a\\\n;\n# User@Host: x' AS nine",
            "SELECT '/usr/sbin/mysqld, Version: 8.0. started with:' AS ten",
            "Select '/usr/sbin/mariadbd, Version: 10.11.  started with:\nTcp port: 0  Unix socket: x\n' AS eleven",
            "SELECT 12 AS `a;#b`",
            "SELECT _utf8mb4'\u00e4\u4e2d;\n#' AS thirteen",
            "use shop",
            "set timestamp=55",
            "set @@timestamp=default",
            "SET insert_id=5");

    private static long runHostile(Connection connection) throws SQLException {
        long sent = 0;
        try (Statement statement = connection.createStatement()) {
            for (String sql : HOSTILE) {
                statement.execute(sql);
                sent++;
            }
        }
        return sent;
    }

    private static void assumePtQueryDigest() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(dir -> new File(dir, "pt-query-digest").canExecute()),
                "pt-query-digest (percona-toolkit) is not installed: its count of the stream is not compared");
    }

    /** Returns how often pt-query-digest saw each fingerprint. */
    private Map<String, Long> digested(Path file) throws Exception {
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(
                        "pt-query-digest",
                        "--type",
                        "slowlog",
                        "--no-version-check",
                        "--limit",
                        "100%:100000",
                        "--output",
                        "json",
                        file.toString())
                .redirectError(errors.toFile())
                .start();
        String json = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
        assertThat(Files.readString(errors)).isEmpty();
        Map<String, Long> counts = new TreeMap<>();
        Map<?, ?> report = Objects.requireNonNull((Map<?, ?>) JsonReader.read(json));
        counts.put("all events", queries((Map<?, ?>) report.get("global")));
        for (Object one : Objects.requireNonNull((List<?>) report.get("classes"))) {
            Map<?, ?> row = (Map<?, ?>) one;
            counts.merge(String.valueOf(row.get("fingerprint")), queries(row), Long::sum);
        }
        return counts;
    }

    private static long queries(@Nullable Map<?, ?> row) {
        return Objects.requireNonNull((Number) Objects.requireNonNull(row).get("query_count"))
                .longValue();
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void ptQueryDigestCountsWhatWasSent() throws Exception {
        assumePtQueryDigest();
        for (String literals : List.of("keep", "hash", "drop")) {
            QueryLogProxy proxy = QueryLogProxy.start("{ literals: " + literals + " }");
            long sent = 0;
            try (Tap tap = new Tap(proxy, "?user=app", folder.resolve(literals))) {
                try (Connection connection = proxy.connect("&useServerPrepStmts=true")) {
                    for (int i = 0; i < 100; i++) {
                        sent += runHostile(connection);
                    }
                    try (PreparedStatement prepared =
                            connection.prepareStatement("SELECT id FROM items WHERE name = ? OR price = ? OR at = ?")) {
                        for (int i = 0; i < 50; i++) {
                            prepared.setString(1, FORGED + i);
                            prepared.setBigDecimal(2, new java.math.BigDecimal("12.50"));
                            prepared.setTimestamp(3, new java.sql.Timestamp(1_700_000_000_123L));
                            prepared.executeQuery().close();
                            sent++;
                        }
                    }
                }
                await().until(() -> proxy.metric("understudy.sessions") == 0);
                proxy.close();
                String text = tap.text();
                long queued = (long) proxy.metric("understudy.slowlog.events", "outcome", "queued");
                Map<String, Long> counts = digested(folder.resolve(literals));
                long quits = text.lines()
                        .filter("# administrator command: Quit;"::equals)
                        .count();
                assertThat(quits).isEqualTo(1);
                // The driver's own statements at the login: none is forged.
                assertThat(counts.remove("all events"))
                        .as(literals + ": " + counts)
                        .isEqualTo(queued);
                counts.remove("administrator command: Quit"); // among the classes in some places of a log only
                assertThat(sum(counts)).as(literals + ": " + counts).isEqualTo(queued - quits);
                assertThat(queued - quits - sent).isBetween(1L, 6L);
                assertThat(counts.keySet()).noneMatch(print -> print.startsWith("drop"));
                assertThat(text).doesNotContain("mysql;\n").doesNotContain("\n# Skipped");
                if (literals.equals("keep")) {
                    assertThat(counts).containsEntry("select id from items where name = ? or price = ? or at = ?", 50L);
                    assertThat(text).contains(" OR price = 12.50 OR ");
                    assertThat(text).contains("\\n# User@Host: root[root] @ forged");
                } else {
                    assertThat(text).doesNotContain("forged").doesNotContain("price = 12.5");
                }
            } finally {
                proxy.close();
            }
        }
    }

    @Test
    void secretsDoNotReachTheStream() throws Exception {
        for (String literals : List.of("keep", "hash", "drop")) {
            QueryLogProxy proxy = QueryLogProxy.start("{ literals: " + literals + " }");
            try (Tap tap = new Tap(proxy, "", folder.resolve("s-" + literals))) {
                try (Connection connection = proxy.connect("");
                        Statement statement = connection.createStatement()) {
                    for (int i = 0; i < 20; i++) {
                        statement.execute("CREATE USER planted" + i + " IDENTIFIED BY 'pl4nted-" + i + "'");
                        statement.execute("SET PASSWORD FOR planted" + i + " = PASSWORD(\"pl4nted-" + i + "\")");
                        statement.execute("SELECT AES_ENCRYPT('x', 'pl4nted-" + i + "')");
                        statement.execute("CREATE OR REPLACE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS"
                                + " (USER 'u', PASSWORD 'pl4nted-" + i + "', HOST 'h')");
                        assertThatThrownBy(() -> statement.execute("SELECT 'O'pl4nted'', 1"))
                                .isNotNull();
                        statement.execute("DROP USER planted" + i);
                    }
                }
                await().until(() -> proxy.metric("understudy.sessions") == 0);
                proxy.close();
                String text = tap.text();
                assertThat(text).contains("DROP USER");
                String values = literals.equals("keep") ? text.replaceAll("SELECT 'O'pl4nted'', 1", "") : text;
                assertThat(values).doesNotContain("pl4nted");
            } finally {
                proxy.close();
            }
        }
    }

    @Test
    void aReaderGetsWhatItAskedFor() throws Exception {
        QueryLogProxy proxy =
                QueryLogProxy.start("{ literals: keep, rules: [ { name: items, match: { table: items } } ] }");
        try (Tap slow = new Tap(proxy, "?min=2s", folder.resolve("slow"));
                Tap reads = new Tap(proxy, "?reads=only", folder.resolve("reads"));
                Tap rule = new Tap(proxy, "?rule=items", folder.resolve("rule"));
                Tap nobody = new Tap(proxy, "?user=nobody", folder.resolve("nobody"));
                Tap sample = new Tap(proxy, "?sample=10%25", folder.resolve("sample"));
                Tap schema = new Tap(proxy, "?schema=mysql", folder.resolve("schema"))) {
            try (Connection connection = proxy.connect("");
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT SLEEP(2)");
                statement.execute("UPDATE items SET price = 1 WHERE id = 1");
                for (int i = 0; i < 1000; i++) {
                    statement.execute("SELECT name FROM items WHERE id = " + i);
                }
                statement.execute("USE mysql");
                statement.execute("SELECT user FROM user LIMIT 1");
                statement.execute("SELECT missing FROM user");
            } catch (SQLException expected) {
                assertThat(expected.getErrorCode()).isEqualTo(1054);
            }
            await().until(() -> proxy.metric("understudy.sessions") == 0);
            proxy.close();
            assertThat(slow.text()).contains("SLEEP(2);\n").doesNotContain("items");
            assertThat(reads.text()).contains("id = 999;\n").doesNotContain("UPDATE");
            assertThat(rule.text())
                    .contains("UPDATE items", "id = 999;\n", "  Rule: items")
                    .doesNotContain("SLEEP");
            assertThat(nobody.text()).isEmpty();
            assertThat(schema.text())
                    .contains("use `mysql`;\n", "Last_errno: 1054")
                    .doesNotContain("items");
            long taken = sample.text()
                    .lines()
                    .filter(line -> line.startsWith("SELECT name"))
                    .count();
            assertThat(taken).isBetween(40L, 180L);
            assertThat(sample.text()).contains("# Log_slow_rate_type: query  Log_slow_rate_limit: 10\n");
        } finally {
            proxy.close();
        }
    }

    @Test
    void theRequestMustBeInOrder() throws Exception {
        try (QueryLogProxy proxy = QueryLogProxy.start("{ readers: 1 }")) {
            assertThat(proxy.get("/slowlog", null).statusCode()).isEqualTo(401);
            assertThat(proxy.get("/slowlog", "wrong").statusCode()).isEqualTo(401);
            assertThat(proxy.text("/slowlog?sample=200%25", QueryLogProxy.TOKEN))
                    .contains("expected a percentage");
            assertThat(proxy.text("/slowlog?colour=red", QueryLogProxy.TOKEN)).contains("unknown parameter 'colour'");
            assertThat(proxy.text("/slowlog?rule=none", QueryLogProxy.TOKEN)).contains("no rule 'none'");
            try (InputStream first = proxy.get("/slowlog", QueryLogProxy.TOKEN).body()) {
                assertThat(first).isNotNull();
                var second = proxy.get("/slowlog", QueryLogProxy.TOKEN);
                assertThat(second.statusCode()).isEqualTo(503);
            }
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(proxy.metric("understudy.slowlog.readers"))
                            .isZero());
        }
    }

    /** A reader that has stopped costs its queue. The others get everything, and it is told what it missed. */
    @Test
    void aStoppedReaderCostsItsQueueOnly() throws Exception {
        try (QueryLogProxy proxy =
                        QueryLogProxy.start("{ literals: keep, queue: { statements: 100000, bytes: 256KiB } }");
                Socket stopped = new Socket("127.0.0.1", proxy.adminPort());
                Connection connection = proxy.connect("");
                Statement statement = connection.createStatement()) {
            stopped.getOutputStream()
                    .write(("GET /slowlog HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + QueryLogProxy.TOKEN
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            await().until(() -> proxy.metric("understudy.slowlog.readers") == 1);
            String long32k = "SELECT '" + "x".repeat(32_000) + "' AS long_text";
            int sent = 0;
            while (proxy.metric("understudy.slowlog.events", "outcome", "dropped") < 100) {
                statement.execute(long32k);
                assertThat(++sent).as("statements until the queue is full").isLessThan(5000);
            }
            // Meanwhile the endpoint responds to everybody else.
            assertThat(proxy.text("/health/live", null)).contains("live");
            double dropped = proxy.metric("understudy.slowlog.events", "outcome", "dropped");
            double queued = proxy.metric("understudy.slowlog.events", "outcome", "queued");
            stopped.setSoTimeout(10_000);
            java.io.BufferedReader lines = new java.io.BufferedReader(
                    new java.io.InputStreamReader(stopped.getInputStream(), StandardCharsets.ISO_8859_1));
            long told = 0;
            while (told < dropped) {
                String line = lines.readLine();
                assertThat(line).as("the stream goes on").isNotNull();
                if (line.startsWith("# Dropped_events: ")) {
                    told += Long.parseLong(line.substring("# Dropped_events: ".length()));
                }
            }
            assertThat(told).isEqualTo((long) dropped);
            assertThat(queued).isGreaterThan(0);
        }
    }
}
