package io.understudy.replay.option;

import io.understudy.plugins.capture.CaptureInput;
import io.understudy.plugins.capture.CaptureSecret;
import io.understudy.replay.log.StatementLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The log that a command reads. */
public final class LogFileOption {
    @Parameters(
            paramLabel = "FILE",
            description = "A slow log, a general log, a capture or a folder of captures, or - for standard input.")
    private String file = "";

    @Mixin
    private final SecretFileOption secretFile = new SecretFileOption();

    /** The messages about the log so far: a replay that is resumed reads it twice. */
    private final Set<String> noted = new HashSet<>();

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

    /**
     * Opens the log.
     *
     * @param notes receives what a person has to know of the log, such as that its end is missing; each once
     */
    public Opened opened(Consumer<String> notes) throws IOException {
        return new Opened(open(note -> noteOnce(note, notes)), isStandardInput());
    }

    private void noteOnce(String note, Consumer<String> notes) {
        if (noted.add(note)) {
            notes.accept(note);
        }
    }

    private StatementLog open(Consumer<String> notes) throws IOException {
        CaptureSecret secret = secretFile.secret();
        InputStream in = isStandardInput()
                ? CaptureInput.lazy(System.in, "standard input", secret, notes)
                : CaptureInput.open(Path.of(file), secret, notes);
        return StatementLog.open(in, ZoneId.systemDefault());
    }
}
