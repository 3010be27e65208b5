package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class EnvironmentFileTest {
    @TempDir
    private Path folder;

    @Test
    void followsSystemdsRules() {
        assertThat(EnvironmentFile.parse("""
                # A=comment
                ; B=comment
                no variable
                PLAIN=a$b`c#d
                 BLANKS = two words \s
                SINGLE='it''s $x \\n'
                DOUBLE="a \\"b\\" \\$c \\d"
                ESCAPED=a\\'b\\ c
                LINES=one \\
                two
                EMPTY=
                """))
                .isEqualTo(Map.of(
                        "PLAIN", "a$b`c#d",
                        "BLANKS", "two words",
                        "SINGLE", "its $x \\n",
                        "DOUBLE", "a \"b\" $c \\d",
                        "ESCAPED", "a'b c",
                        "LINES", "one two",
                        "EMPTY", ""));
    }

    /** As root types `understudy check -c /etc/understudy/understudy.yaml` on an installed package. */
    @Test
    void aConfigurationTakesWhatIsNotSetFromTheFileBesideIt() throws Exception {
        Path config = folder.resolve("understudy.yaml");
        Files.writeString(config, """
                primary: { address: "db:3306", monitor: { user: u, password: "${env:UNDERSTUDY_NO_SUCH}" } }
                """);
        assertThatThrownBy(() -> ConfigLoader.load(config, Map.of()))
                .hasMessageContaining("UNDERSTUDY_NO_SUCH is not set");
        Files.writeString(folder.resolve("understudy.env"), "UNDERSTUDY_NO_SUCH=\n");
        assertThatThrownBy(() -> ConfigLoader.load(config, Map.of()))
                .hasMessageContaining("UNDERSTUDY_NO_SUCH is not set");
        Files.writeString(folder.resolve("understudy.env"), "UNDERSTUDY_NO_SUCH=pa$$word\nPATH=/not/this\n");
        assertThat(ConfigLoader.load(config, Map.of()).config().primary()).isNotNull();
        assertThat(EnvironmentFile.beside(config).get("UNDERSTUDY_NO_SUCH")).isEqualTo("pa$$word");
        assertThat(EnvironmentFile.beside(config).get("PATH")).isEqualTo(System.getenv("PATH"));
    }

    @Test
    void aFileThatCannotBeReadIsNamed() throws Exception {
        Path config = folder.resolve("understudy.yaml");
        Files.createDirectory(folder.resolve("understudy.env"));
        assertThatThrownBy(() -> EnvironmentFile.beside(config).get("UNDERSTUDY_NO_SUCH"))
                .hasMessageContaining("understudy.env cannot be read (Is a directory)");
        assertThat(EnvironmentFile.beside(config).get("PATH")).isEqualTo(System.getenv("PATH"));
    }

    /** To open one waits for its writer, and each reload with it. */
    @Test
    @Timeout(60)
    void aPipeIsNotOpened() throws Exception {
        Path pipe = folder.resolve("understudy.env");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> EnvironmentFile.beside(folder.resolve("understudy.yaml"))
                        .get("UNDERSTUDY_NO_SUCH"))
                .hasMessageContaining(pipe + " is a pipe or a device");
    }
}
