package io.understudy.cli;

import io.understudy.plugins.capture.CaptureInput;
import io.understudy.plugins.capture.CaptureSecret;
import io.understudy.replay.log.StatementLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The log that a command reads. */
public final class LogFileOption {
    @Parameters(
            paramLabel = "FILE",
            description = "A slow log, a general log, a capture or a folder of captures, or - for standard input.")
    private String file = "";

    @Option(names = "--secret-file", paramLabel = "FILE", description = "The secret of an encrypted capture.")
    private @Nullable Path secretFile;

    /** A log that is closed with its command, unless it is standard input: a read of that may wait without end. */
    public record Opened(StatementLog log, boolean standardInput) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (!standardInput) {
                log.close();
            }
        }
    }

    /** Returns the path as given, or {@code -} for standard input. */
    public String name() {
        return file;
    }

    public boolean isStandardInput() {
        return file.equals("-");
    }

    public Opened opened() throws IOException {
        return new Opened(open(), isStandardInput());
    }

    private StatementLog open() throws IOException {
        CaptureSecret secret = secretFile == null ? null : CaptureSecret.parse(Files.readString(secretFile));
        InputStream in = isStandardInput()
                ? CaptureInput.lazy(System.in, "standard input", secret)
                : CaptureInput.open(Path.of(file), secret);
        return StatementLog.open(in, ZoneId.systemDefault());
    }
}
