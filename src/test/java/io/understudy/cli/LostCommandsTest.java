package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code report lost} and {@code rescue} with a running proxy and a pair whose standby applies nothing. */
@Timeout(180)
class LostCommandsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SECRET = "no-such-text-in-a-report";

    @TempDir
    private static Path folder;

    private static EmbeddedPair pair;
    private static RunningProxy proxy;
    private static Path file;

    private record Said(int status, String text) {}

    /** Three transactions reach the standby's relay log, two stay on the primary only. */
    @BeforeAll
    static void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, name VARCHAR(50))");
        pair.createAccount("monitor", "secret", "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.createAccount("app", "secret", "ALL ON shop.*");
        pair.awaitCaughtUp(PATIENCE);
        int admin = FreePort.next();
        file = Files.writeString(folder.resolve("lost.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys:
                  - { name: s1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: monitor, password: secret }
                admin: { address: "127.0.0.1:%d", token: a-token-of-fair-length }
                plugins:
                  black-box: { poll: 100ms }
                """.formatted(
                        pair.primary().port(), pair.standby().port(), admin));
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
        proxy = RunningProxy.start(loaded, plugins, () -> loaded);
        await().atMost(PATIENCE).until(() -> run("report", "lost").text().contains("is being read"));
        pair.standby().execute("STOP SLAVE SQL_THREAD");
        insert(1, 3);
        await().atMost(PATIENCE).until(() -> run("report", "lost").text().contains("but not applied: 3"));
        pair.standby().execute("STOP SLAVE IO_THREAD");
        insert(4, 5);
        await().atMost(PATIENCE).until(() -> run("report", "lost").text().contains("OK and missing: 2"));
    }

    private static void insert(int first, int last) throws Exception {
        InetSocketAddress address =
                (InetSocketAddress) proxy.proxy().addresses().get(0);
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + address.getPort() + "/shop?sslMode=disable", "app", "secret");
                Statement statement = connection.createStatement()) {
            for (int id = first; id <= last; id++) {
                statement.executeUpdate("INSERT INTO t VALUES (" + id + ", '" + SECRET + "')");
            }
        }
    }

    @AfterAll
    static void stop() {
        proxy.close();
        pair.close();
    }

    private static Said run(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "-c";
        all[arguments.length + 1] = file.toString();
        return new Said(line.execute(all), out.toString());
    }

    @Test
    void theReportSeparatesTheClasses() {
        Said said = run("report", "lost");
        assertThat(said.status()).isZero();
        assertThat(said.text())
                .contains("On s1 (the only standby; read-only)")
                .contains("Answered OK and missing: 2")
                .contains("Received there but not applied: 3")
                .contains("WARNING: these are in relay logs only")
                .contains("Do not restart it")
                .contains("Unknown because of a gap: 0")
                .contains("tables: {shop.t=2}")
                .contains("(app)")
                .doesNotContain(SECRET);
    }

    @Test
    void aStandbysNameAndItsAddressGiveTheSameReport() {
        String byName = run("report", "lost", "--on", "s1").text();
        assertThat(byName)
                .contains("On s1 (it was named")
                .contains("missing: 2")
                .contains("not applied: 3");
        String address = "127.0.0.1:" + pair.standby().port();
        String byAddress = run("report", "lost", "--on", address).text();
        assertThat(byAddress.replace(address, "s1")).isEqualTo(byName);
        assertThat(run("report", "lost", "--on", "primary").text()).contains("missing: 0");
    }

    @Test
    void jsonHasTheSameFigures() {
        assertThat(run("report", "lost", "--json").text())
                .contains("\"answeredAndMissing\":{\"count\":2,\"captured\":2,\"notCaptured\":0")
                .contains("\"receivedNotApplied\":{\"count\":3")
                .contains("\"digest\":\"")
                .doesNotContain(SECRET);
    }

    @Test
    void theRescueFileIsReadableByItsOwnerOnly() throws Exception {
        Path to = folder.resolve("lost.binlog");
        Said said = run("rescue", "--to", to.toString());
        assertThat(said.status()).as(said.text()).isEqualTo(4); // what was received is in no file
        assertThat(said.text())
                .contains("2 transactions that s1 lacks, 2 of them answered")
                .contains("WARNING: the primary is alive")
                .contains("WARNING: 3 transactions are in relay logs")
                .contains("No replay while that stands")
                .doesNotContain("| mariadb")
                .doesNotContain(SECRET);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to)))
                .isEqualTo("rw-------");
        byte[] bytes = Files.readAllBytes(to);
        assertThat(bytes).startsWith(0xfe, 'b', 'i', 'n');
        assertThat(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1))
                .contains(SECRET);
        Said again = run("rescue", "--to", to.toString());
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.text()).contains("exists; name another file");
        assertThat(Files.readAllBytes(to)).isEqualTo(bytes);
    }

    @Test
    void errorsAreReported() {
        Said unknown = run("report", "lost", "--on", "s2");
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.text()).contains("no standby is called 's2'").contains("[s1]");
        Said dead = run("report", "lost", "--on", "127.0.0.1:1");
        assertThat(dead.status()).isEqualTo(1);
        assertThat(dead.text()).contains("127.0.0.1:1 cannot be asked as monitor");
    }

    @Test
    void rowsNeedTheToken() throws Exception {
        String base = "http://127.0.0.1:" + String.valueOf(proxy.adminAddress()).replaceAll(".*:", "");
        assertThat(status(base + "/api/lost", "GET")).isEqualTo(200);
        assertThat(status(base + "/api/lost", "POST")).isEqualTo(401);
        assertThat(status(base + "/api/lost/rescue", "POST")).isEqualTo(401);
        assertThat(status(base + "/api/lost/rescue/1", "POST")).isEqualTo(401);
    }

    private static int status(String where, String method) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(where))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }
}
