package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.netty.buffer.ByteBuf;
import io.understudy.host.PluginLoader;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionObserver;
import io.understudy.testkit.FakeExchange;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the plugins of {@code docs/plugin} compile against the API, load from a jar, and work as they say. */
class PluginGuideTest {
    private static final Path PROJECT = DocsTest.ROOT.resolve("docs/plugin/src/main");

    @TempDir
    static Path folder;

    private static Path plugins;

    /** With nothing but the API, and what it brings, on the class path. */
    @BeforeAll
    static void buildTheJar() throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        plugins = Files.createDirectory(folder.resolve("plugins"));
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString(), "--release", "17", "-proc:none"));
        arguments.add("-classpath");
        arguments.add(place(ProxyPlugin.class)
                + File.pathSeparator
                + place(Counter.class)
                + File.pathSeparator
                + place(ByteBuf.class)
                + File.pathSeparator
                + place(Nullable.class));
        arguments.addAll(files(PROJECT.resolve("java")));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler).as("a JDK, not a JRE, runs this test").isNotNull();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .as("exit code of the compiler")
                .isZero();
        Path services = Path.of("META-INF/services", ProxyPlugin.class.getName());
        Files.createDirectories(classes.resolve(services).getParent());
        Files.copy(PROJECT.resolve("resources").resolve(services), classes.resolve(services));
        jar(classes, plugins.resolve("samples.jar"));
    }

    private static Path place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static List<String> files(Path under) throws IOException {
        try (Stream<Path> paths = Files.walk(under)) {
            return paths.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    private static void jar(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> paths = Files.walk(classes)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(classes.relativize(path).toString()));
                Files.copy(path, out);
            }
        }
    }

    private static ProxyUnderTest proxy(String id, String section) throws Exception {
        Map<String, ProxyPlugin<?>> found = PluginLoader.load(plugins);
        String config = ProxyUnderTest.config(
                "127.0.0.1:0", ServerUnderTest.shared().address(), "", "plugins: { " + id + ": " + section + " }");
        return ProxyUnderTest.start(config, Objects.requireNonNull(found.get(id), "a plugin " + id));
    }

    private static Connection connect(ProxyUnderTest proxy, String options) throws SQLException {
        ServerUnderTest server = ServerUnderTest.shared();
        String url = "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort() + "/?sslMode=disable" + options;
        return DriverManager.getConnection(url, server.user(), server.password());
    }

    private static double refusals(ProxyUnderTest proxy, String plugin, String reason) {
        return proxy.meters()
                .get("understudy.plugin.refusals")
                .tags("plugin", plugin, "reason", reason)
                .counter()
                .count();
    }

    @Test
    void oneSessionTooManyOfATenantIsRefused() throws Exception {
        String section = "{ attribute: tenant, rules: [ { name: few, sessions: 1 } ] }";
        try (ProxyUnderTest proxy = proxy("tenant-limit", section)) {
            String ofTenant = "&connectionAttributes=tenant:";
            try (Connection first = connect(proxy, ofTenant + "a");
                    Connection other = connect(proxy, ofTenant + "b")) {
                assertThat(first.isValid(5)).isTrue();
                assertThat(other.isValid(5)).isTrue();
                assertThatThrownBy(() -> connect(proxy, ofTenant + "a"))
                        .isInstanceOfSatisfying(SQLException.class, refused -> {
                            assertThat(refused.getErrorCode()).isEqualTo(1226);
                            assertThat(refused.getSQLState()).isEqualTo("42000");
                        })
                        .hasMessageContaining("Tenant 'a' has 1 sessions already; close some");
                assertThat(refusals(proxy, "tenant-limit", "few")).isEqualTo(1);
                Object view = Views.of(proxy.server().published(), "tenant-limit");
                assertThat(view).isEqualTo(Map.of("a", 1, "b", 1));
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            Views.of(proxy.server().published(), "tenant-limit").equals(Map.of()));
            connect(proxy, ofTenant + "a").close();
        }
    }

    @Test
    void aStatementOfARefusedDigestIsNotExecuted() throws Exception {
        String table = ServerUnderTest.SCHEMA + ".refused";
        ServerUnderTest.shared().execute("CREATE OR REPLACE TABLE " + table + " (id INT)");
        String digest =
                FakeExchange.summarize("INSERT INTO " + table + " VALUES (1)").digestHex();
        try (ProxyUnderTest proxy = proxy("refused-digests", "{ digests: [\"" + digest + "\"] }");
                Connection client = connect(proxy, "");
                Statement statement = client.createStatement()) {
            assertThatThrownBy(() -> statement.execute("INSERT INTO " + table + " VALUES (2)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getErrorCode()).isEqualTo(1317))
                    .hasMessageContaining("Statements of digest " + digest + " are refused here");
            assertThat(refusals(proxy, "refused-digests", "digest")).isEqualTo(1);
            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
            try (Connection again = connect(proxy, "");
                    Statement count = again.createStatement();
                    ResultSet rows = count.executeQuery("SELECT COUNT(*) FROM " + table)) {
                rows.next();
                assertThat(rows.getInt(1)).isZero();
            }
        }
    }

    @Test
    void anInvalidValueIsReportedWithItsKey() {
        assertThatThrownBy(() -> proxy("refused-digests", "{ digests: [\"x\"] }"))
                .hasMessageContaining("digests[0]")
                .hasMessageContaining("must be 16 hexadecimal digits");
    }

    /** Part of the life that the page does not name is a trap. */
    @ParameterizedTest
    @ValueSource(classes = {ProxyPlugin.class, SessionObserver.class, PluginContext.class})
    void thePageNamesEachMethod(Class<?> type) throws IOException {
        String page = Files.readString(DocsTest.ROOT.resolve("docs/plugin-guide.md"));
        String life = page.substring(page.indexOf("## The life of a plugin"));
        assertThat(Stream.of(type.getMethods()).map(Method::getName).distinct())
                .isNotEmpty()
                .allSatisfy(method -> assertThat(life).containsPattern("`" + method + "`"));
    }
}
