package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.host.PluginLoader;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the plugin of {@code docs/plugin-guide.md} compiles, loads from a jar, and works as the page says. */
class PluginGuideTest {
    /** Matches a block of code whose first line is a comment with the file's name. */
    private static final Pattern FILE = Pattern.compile("(?ms)^```(?:java|text)\\n(?://|#) (\\S+)\\n(.*?)^```$");

    private static final String ID = "slow-statements";

    @TempDir
    static Path folder;

    private static Path plugins;

    @BeforeAll
    static void buildTheJar() throws IOException {
        Path sources = Files.createDirectory(folder.resolve("sources"));
        Path classes = Files.createDirectory(folder.resolve("classes"));
        plugins = Files.createDirectory(folder.resolve("plugins"));
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString(), "--release", "17"));
        Matcher file = FILE.matcher(Files.readString(DocsTest.ROOT.resolve("docs/plugin-guide.md")));
        while (file.find()) {
            boolean java = file.group(1).endsWith(".java");
            Path path = (java ? sources : classes).resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2));
            if (java) {
                arguments.add(path.toString());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler).as("a JDK, not a JRE, runs this test").isNotNull();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .as("exit code of the compiler")
                .isZero();
        jar(classes, plugins.resolve("slow-statements.jar"));
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

    private static ProxyPlugin<?> load() {
        Map<String, ProxyPlugin<?>> found = PluginLoader.load(plugins);
        assertThat(found).containsKey(ID);
        return Objects.requireNonNull(found.get(ID));
    }

    private static String config(String section) {
        return ProxyUnderTest.config(
                "127.0.0.1:0", ServerUnderTest.shared().address(), "", "plugins: { " + ID + ": " + section + " }");
    }

    private static Connection connect(ProxyUnderTest proxy) throws SQLException {
        ServerUnderTest server = ServerUnderTest.shared();
        String url = "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort() + "/?sslMode=disable";
        return DriverManager.getConnection(url, server.user(), server.password());
    }

    @Test
    void countsSlowStatementsByDigest() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config("{ above: 50ms }"), load());
                Connection client = connect(proxy);
                Statement statement = client.createStatement()) {
            double before = proxy.count("understudy.slow.statements");
            statement.execute("SELECT 1");
            statement.execute("SELECT SLEEP(0.1)");
            await().atMost(Duration.ofSeconds(10)).until(() -> proxy.count("understudy.slow.statements") > before);
            Object view = Views.of(proxy.server().published(), ID);
            assertThat((Map<?, ?>) view).isNotEmpty();
        }
    }

    @Test
    void anInvalidValueIsReportedWithItsKey() {
        assertThatThrownBy(() -> ProxyUnderTest.start(config("{ digests: 0 }"), load()))
                .hasMessageContaining("digests")
                .hasMessageContaining("must be at least 1");
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

    @Test
    void theServicesFileNamesThePluginOnly() throws IOException {
        String services = Files.readString(
                folder.resolve("classes/META-INF/services/io.understudy.plugin.ProxyPlugin"), StandardCharsets.UTF_8);
        assertThat(services.strip()).isEqualTo("example.SlowStatementsPlugin");
    }
}
