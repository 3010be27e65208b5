package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checkout's script and the package's start the program alike. In place of Java a script prints its arguments. */
class LauncherTest {
    private static final String LAUNCHER = "proxy-cli/app/src/dist/bin/understudy";

    @TempDir
    private Path folder;

    private void java(String version) throws IOException {
        Path java = folder.resolve("jdk/bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, """
                #!/bin/sh
                if [ "$1" = -XshowSettings:properties ]; then
                    echo '    java.specification.version = %s' >&2
                else
                    printf '%%s\\n' "$@"
                fi
                """.formatted(version));
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    private void copy(String file, String to) throws IOException {
        Path target = folder.resolve(to);
        Files.createDirectories(target.getParent());
        Files.copy(DocsTest.ROOT.resolve(file), target);
        assertThat(target.toFile().setExecutable(true)).isTrue();
    }

    private void packaged() throws IOException {
        copy(LAUNCHER, "package/bin/understudy");
    }

    /** A checkout that is built. */
    private void checkout() throws IOException {
        copy("understudy", "checkout/understudy");
        copy(LAUNCHER, "checkout/" + LAUNCHER);
        Path state = folder.resolve("checkout/.understudy");
        Files.createDirectories(state.resolve("lib"));
        for (String module : List.of("proxy-cli/app", "proxy-core/relay", "proxy-core/api")) {
            Path sources = Files.createDirectories(folder.resolve("checkout").resolve(module));
            Files.writeString(sources.resolve("pom.xml"), "");
            Files.writeString(state.resolve("lib/" + sources.getFileName() + ".jar"), "");
        }
        Files.writeString(state.resolve("classpath"), "/m2/netty.jar:");
        Files.writeString(state.resolve("built"), "");
    }

    private List<String> start(String script) throws IOException, InterruptedException {
        return start(script, Map.of());
    }

    private List<String> start(String script, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(folder.resolve(script).toString(), "explain", "--sql", "SELECT  'two  blanks'");
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("UNDERSTUDY_OPTS", "-Xmx99m -Dx=y");
        builder.environment().remove("UNDERSTUDY_HOME");
        builder.environment().remove("UNDERSTUDY_CP");
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.lines().toList();
    }

    @Test
    void anotherInstallationsHomeIsNotTaken() throws Exception {
        java("17");
        packaged();
        List<String> words = start("package/bin/understudy", Map.of("UNDERSTUDY_HOME", "/opt/another"));
        assertThat(words).noneMatch(word -> word.contains("/opt/another"));
        assertThat(words.get(words.indexOf("-cp") + 1)).endsWith("/package/lib/*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"17", "25"})
    void bothStartWithTheSameOptions(String version) throws Exception {
        java(version);
        packaged();
        checkout();
        List<String> fromPackage = start("package/bin/understudy");
        List<String> fromCheckout = start("checkout/understudy");
        int classPath = fromPackage.indexOf("-cp");
        assertThat(fromPackage.subList(0, classPath)).contains("-XX:+ExitOnOutOfMemoryError", "-Xmx99m", "-Dx=y");
        assertThat(fromCheckout.stream()
                        .map(word -> word.replace("/checkout", "/package"))
                        .toList()
                        .subList(0, classPath))
                .isEqualTo(fromPackage.subList(0, classPath));
        assertThat(fromPackage.subList(classPath + 2, fromPackage.size()))
                .containsExactly("io.understudy.cli.Understudy", "explain", "--sql", "SELECT  'two  blanks'")
                .isEqualTo(fromCheckout.subList(classPath + 2, fromCheckout.size()));
        assertThat(fromCheckout.get(classPath + 1).split(":"))
                .hasSize(4)
                .contains("/m2/netty.jar")
                .allMatch(entry -> entry.endsWith(".jar"));
    }

    @Test
    void anOlderJavaIsNamedByBoth() throws Exception {
        java("11");
        packaged();
        checkout();
        for (String script : List.of("package/bin/understudy", "checkout/understudy")) {
            assertThat(start(script)).singleElement().asString().contains("is Java 11; install 17 or newer");
        }
    }
}
