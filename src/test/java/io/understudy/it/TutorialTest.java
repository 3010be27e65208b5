package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.FreePort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs docs/tutorial.md in a shell, block after block, with free ports in place of its own; any command that fails ends
 * it. Needs an installed MariaDB, curl and bash: {@code -Dunderstudy.it.tutorial=true}.
 */
@EnabledIfSystemProperty(named = "understudy.it.tutorial", matches = "true")
@Timeout(600)
class TutorialTest {
    private static final List<String> PORTS = List.of("13306", "13307", "13308", "19307");

    @TempDir
    private Path folder;

    @Test
    void everyCommandOfTheTutorialWorks() throws Exception {
        StringBuilder script = new StringBuilder("""
                set -e
                trap 'for p in *.pid; do kill $(cat $p); done; kill $proxy' ERR
                """);
        Matcher block = DocsTest.BLOCK.matcher(Files.readString(DocsTest.ROOT.resolve("docs/tutorial.md")));
        int blocks = 0;
        while (block.find()) {
            assertThat(block.group(1)).isEqualTo("sh");
            script.append("echo '== block ").append(++blocks).append("'\n").append(block.group(2));
        }
        String text = script.toString();
        for (String port : PORTS) {
            text = text.replace(port, Integer.toString(FreePort.next()));
        }
        // Found as `understudy`: a class path of this build behind the package's launcher.
        Path program = folder.resolve("bin/understudy");
        Files.createDirectories(program.getParent());
        Files.createSymbolicLink(program, DocsTest.ROOT.resolve("proxy-cli/app/src/dist/bin/understudy"));
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", text)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().merge("PATH", program.getParent() + ":", (path, ours) -> ours + path);
        builder.environment()
                .put(
                        "UNDERSTUDY_CP",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        builder.environment().remove("JAVA_HOME");
        Process shell = builder.start();
        boolean ended = shell.waitFor(300, TimeUnit.SECONDS);
        String said = Files.readString(output, StandardCharsets.UTF_8);
        System.out.println(said);
        assertThat(ended).as(said).isTrue();
        assertThat(shell.exitValue()).as(said).isZero();
        assertThat(said)
                .containsPattern("understudy_mirror_statements_total\\{[^}]*outcome=\"ok\"[^}]*} [1-9]")
                .contains("order 7", "configuration reloaded", "standby standby-1 is unreachable");
        assertThat(folder.resolve("understudy-tutorial")).doesNotExist();
    }
}
