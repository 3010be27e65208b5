package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ProxyPlugin;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that cannot be used are named, and cost no other plugin. */
class PluginLoaderTest {
    @TempDir
    Path folder;

    /** Builds a jar with one plugin. {@code id} is the body of its method. */
    private void jar(String name, String type, String id) throws IOException {
        Path source = Files.writeString(folder.resolve(type + ".java"), """
                import io.understudy.plugin.*;
                public class %s implements ProxyPlugin<%1$s.Config> {
                    public record Config() {}
                    public String id() { %s }
                    public Class<Config> configType() { return Config.class; }
                    public void start(PluginContext context, Config config) {}
                    public void reload(Config config) {}
                    public SessionObserver openSession(SessionContext session) { return SessionObserver.NONE; }
                    public void stop() {}
                }
                """.formatted(type, id));
        Path classes = Files.createDirectories(folder.resolve("classes-" + name));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-d", classes.toString(), source.toString()))
                .isZero();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(folder.resolve(name)));
                Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
            out.putNextEntry(new ZipEntry("META-INF/services/" + ProxyPlugin.class.getName()));
            out.write(type.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void ofTwoPluginsWithOneIdTheFirstIsTaken() throws IOException {
        jar("a.jar", "First", "return \"same\";");
        jar("b.jar", "Second", "return \"same\";");
        try (CapturedLog log = new CapturedLog()) {
            ProxyPlugin<?> found = PluginLoader.load(folder).get("same");
            assertThat(found).isNotNull();
            assertThat(found.getClass().getName()).isEqualTo("First");
            assertThat(log.text().lines().filter(line -> line.contains("plugin same")))
                    .singleElement()
                    .asString()
                    .contains("WARN", "b.jar is left out", "a.jar");
        }
    }

    @Test
    void aPluginWithoutAnIdCostsNoOther() throws IOException {
        jar("a.jar", "Broken", "throw new IllegalStateException(\"no id today\");");
        jar("b.jar", "Whole", "return \"whole\";");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(PluginLoader.load(folder)).containsKey("whole");
            assertThat(log.text()).contains("a.jar cannot be loaded", "no id today");
        }
    }
}
