package io.understudy.replay.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SecretFileOptionTest {
    @TempDir
    Path directory;

    private SecretFileOption given(String content) throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), content);
        SecretFileOption option = new SecretFileOption();
        new CommandLine(option).parseArgs("--secret-file", file.toString());
        return option;
    }

    /** No capture has such a secret: it is that file which is wrong, not the capture. */
    @Test
    void aFileWithAShortSecretIsNamed() throws IOException {
        SecretFileOption option = given("fifteen letters\n");
        assertThatThrownBy(option::secret)
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "--secret-file: expected a secret of at least 16 characters in " + directory.resolve("secret"));
        assertThat(given("sixteen letters!\n").secret()).isNotNull();
    }
}
