package io.understudy.replay.option;

import io.understudy.plugins.capture.CaptureSecret;
import io.understudy.terminal.Failures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The secret of an encrypted capture. */
public final class SecretFileOption {
    @Option(names = "--secret-file", paramLabel = "FILE", description = "The secret of an encrypted capture.")
    private @Nullable Path file;

    /** Reads the file; null if none was given. */
    public @Nullable CaptureSecret secret() throws IOException {
        Path given = file;
        if (given == null) {
            return null;
        }
        CaptureSecret secret;
        try {
            secret = CaptureSecret.parse(Files.readString(given));
        } catch (IOException e) {
            throw new IOException("--secret-file: " + Failures.sentence(e), e);
        }
        if (secret.isShort()) {
            throw new IOException(
                    "--secret-file: expected a secret of at least " + CaptureSecret.LEAST + " characters in " + given);
        }
        return secret;
    }
}
