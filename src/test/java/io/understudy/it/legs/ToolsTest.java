package io.understudy.it.legs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.it.ProxyUnderTest;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the products' own tools directly and through the proxy; their output must be equal byte for byte. They are
 * searched in the folder {@code -Dunderstudy.it.tools} and then on the path. The server is that of
 * {@code -Dunderstudy.it.server} or an embedded MariaDB. For MySQL the folder is required, because systems install
 * MariaDB's tools under MySQL's names.
 */
@Tag("long")
class ToolsTest {
    private static final String FOLDER = System.getProperty("understudy.it.tools", "");

    @TempDir
    static Path folder;

    private static @Nullable EmbeddedServer embedded;
    private static TestCertificates certificates;
    private static int port;
    private static String user = "root";
    private static String password = "";
    private static boolean mariaDb = true;
    private static boolean serverTls = true;
    private static String binlog = "";

    /** TLS and compression of the two legs. */
    enum Legs {
        PLAIN("tls: { mode: disabled }", "tls: { mode: disabled }"),
        COMPRESSED("tls: { mode: disabled }", "tls: { mode: disabled }, compression: [zlib]"),
        TLS("tls: { mode: required, certificate: '%s', key: '%s' }", "tls: { mode: required }"),
        UNLIKE("tls: { mode: required, certificate: '%s', key: '%s' }", "tls: { mode: disabled }");

        final String listen;
        final String primary;

        Legs(String listen, String primary) {
            this.listen = listen;
            this.primary = primary;
        }

        ProxyUnderTest proxy() throws Exception {
            assumeTrue(this != TLS || serverTls, "this server has no TLS");
            return ProxyUnderTest.withLegs(port, listen.formatted(certificates.certificate, certificates.key), primary);
        }

        boolean clientTls() {
            return this == TLS || this == UNLIKE;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        String[] given = System.getProperty("understudy.it.server", "").split(",", -1);
        if (given.length == 3) {
            port = Integer.parseInt(given[0].substring(given[0].lastIndexOf(':') + 1));
            user = given[1];
            password = given[2];
        } else {
            EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(63).withArguments("--local-infile=1"));
            embedded = server;
            port = server.port();
        }
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            mariaDb = query(statement, "SELECT CONCAT(VERSION(), @@version_comment)", 1)
                    .toLowerCase(Locale.ROOT)
                    .contains("mariadb");
            if (mariaDb) {
                statement.execute("SET SESSION binlog_format = 'ROW'");
            }
            serverTls = !mariaDb || "YES".equals(query(statement, "SHOW VARIABLES LIKE 'have_ssl'", 2));
            statement.execute("FLUSH BINARY LOGS");
            binlog = query(statement, mariaDb ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS", 1);
            for (String sql : new String[] {
                "DROP DATABASE IF EXISTS understudy_tools",
                "CREATE DATABASE understudy_tools CHARACTER SET utf8mb4",
                "CREATE TABLE understudy_tools.a (id INT PRIMARY KEY, v VARCHAR(100), b LONGBLOB)",
                "INSERT INTO understudy_tools.a VALUES (1, '\u00e4\u4e2d''', X'00FF'), (2, NULL, REPEAT('b', 3000000))",
                "CREATE TABLE understudy_tools.loaded (id INT PRIMARY KEY, v VARCHAR(100))",
                "CREATE VIEW understudy_tools.w AS SELECT id FROM understudy_tools.a",
                "CREATE PROCEDURE understudy_tools.p() SELECT 1",
                "CREATE TRIGGER understudy_tools.t BEFORE INSERT ON understudy_tools.loaded FOR EACH ROW SET @n = 1",
                "UPDATE understudy_tools.a SET v = REPEAT('u', 90) WHERE id = 2",
            }) {
                statement.execute(sql);
            }
            statement.execute("FLUSH BINARY LOGS");
        }
    }

    @AfterAll
    static void stop() {
        EmbeddedServer server = embedded;
        if (server != null) {
            server.close();
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&allowPublicKeyRetrieval=true", user, password);
    }

    private static String query(Statement statement, String sql, int column) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(column);
        }
    }

    private static List<String> tool(String ofMariaDb, String ofMySql) {
        String name = mariaDb ? ofMariaDb : ofMySql;
        assumeTrue(mariaDb || !FOLDER.isEmpty(), "needs -Dunderstudy.it.tools, the folder of MySQL's " + name);
        Stream<String> folders = Stream.concat(
                Stream.of(FOLDER).filter(one -> !one.isEmpty()),
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)));
        String program = folders.map(one -> Path.of(one, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
        assumeTrue(!program.isEmpty(), name + " is not installed on this machine");
        return new ArrayList<>(List.of(program, "--no-defaults", "--host=127.0.0.1", "--user=" + user));
    }

    private static byte[] run(List<String> tool, int at, boolean tls, List<String> more) throws Exception {
        List<String> command = new ArrayList<>(tool);
        command.add("--port=" + at);
        if (mariaDb) {
            command.add(tls ? "--ssl" : "--skip-ssl");
        } else {
            command.add("--ssl-mode=" + (tls ? "REQUIRED" : "DISABLED"));
            command.add("--get-server-public-key");
        }
        command.addAll(more);
        Path out = Files.createTempFile(folder, "tool", ".out");
        Path err = Files.createTempFile(folder, "tool", ".err");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("MYSQL_PWD", password);
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as(command + " ends")
                    .isTrue();
            assertThat(process.exitValue())
                    .as(command + ": " + Files.readString(err, StandardCharsets.ISO_8859_1))
                    .isZero();
            return Files.readAllBytes(out);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Some tools refuse newer servers, with and without a proxy. */
    private static void assumeItTalksTo(List<String> tool, String... more) throws Exception {
        try {
            run(tool, port, false, List.of(more));
        } catch (AssertionError e) {
            String said = String.valueOf(e.getMessage());
            assumeTrue(
                    !said.contains("unrecognized MariaDB version"),
                    tool.get(0) + " refuses this server, also directly");
            throw e;
        }
    }

    private static void same(Legs legs, List<String> tool, int atLeast, String... more) throws Exception {
        byte[] direct = run(tool, port, false, List.of(more));
        assertThat(direct.length).as("bytes of output").isGreaterThan(atLeast);
        try (ProxyUnderTest proxy = legs.proxy()) {
            List<String> options = new ArrayList<>(List.of(more));
            if (legs == Legs.COMPRESSED && !tool.get(0).endsWith("binlog")) {
                options.add("--compress");
            }
            byte[] proxied = run(tool, proxy.port(), legs.clientTls(), options);
            assertThat(proxied).as("output through the proxy").isEqualTo(direct);
            assertThat(proxy.connections("accepted")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void dumpsAreEqual(Legs legs) throws Exception {
        List<String> options = new ArrayList<>(List.of(
                "--skip-dump-date", "--single-transaction", "--routines", "--triggers", "--hex-blob", "--databases"));
        if (!mariaDb) {
            options.add(0, "--set-gtid-purged=OFF");
        }
        options.add("understudy_tools");
        same(legs, tool("mariadb-dump", "mysqldump"), 3_000_000, options.toArray(new String[0]));
    }

    @ParameterizedTest
    @EnumSource
    void binaryLogsAreEqual(Legs legs) throws Exception {
        List<String> tool = tool("mariadb-binlog", "mysqlbinlog");
        if (!mariaDb) {
            same(legs, tool, 3_000_000, "--read-from-remote-source=BINLOG-DUMP-GTIDS", "--verbose", binlog);
        }
        assumeItTalksTo(tool, "--read-from-remote-server", binlog);
        same(legs, tool, 3_000_000, "--read-from-remote-server", "--verbose", binlog);
        Path raw = Files.createDirectories(folder.resolve("raw-" + legs));
        run(
                tool,
                port,
                false,
                List.of("--read-from-remote-server", "--raw", "--result-file=" + raw + "/direct-", binlog));
        try (ProxyUnderTest proxy = legs.proxy()) {
            run(
                    tool,
                    proxy.port(),
                    legs.clientTls(),
                    List.of("--read-from-remote-server", "--raw", "--result-file=" + raw + "/proxied-", binlog));
        }
        assertThat(raw.resolve("proxied-" + binlog)).hasSameBinaryContentAs(raw.resolve("direct-" + binlog));
    }

    @ParameterizedTest
    @EnumSource
    void loadsAreEqual(Legs legs) throws Exception {
        List<String> tool = tool("mariadb-import", "mysqlimport");
        Path data = folder.resolve("loaded.txt");
        writeRows(data);
        try (ProxyUnderTest proxy = legs.proxy();
                Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM understudy_tools.loaded");
            List<String> options =
                    new ArrayList<>(List.of("--local", "--fields-terminated-by=,", "--default-character-set=utf8mb4"));
            if (legs == Legs.COMPRESSED) {
                options.add("--compress");
            }
            options.add("understudy_tools");
            options.add(data.toString());
            String said = new String(run(tool, proxy.port(), legs.clientTls(), options), StandardCharsets.UTF_8);
            assertThat(said).contains("Records: 30000", "Skipped: 0", "Warnings: 0");
            assertThat(query(statement, "SELECT CONCAT(COUNT(*), ' ', SUM(id)) FROM understudy_tools.loaded", 1))
                    .isEqualTo("30000 449985000");
        }
    }

    private static void writeRows(Path data) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 30_000; i++) {
            text.append(i).append(",row \u00e4 ").append(i).append('\n');
        }
        Files.writeString(data, text);
    }
}
