package io.understudy.cli;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands that need a configuration file. */
public final class ConfigFile {
    @Option(
            names = {"-c", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration file.")
    private @Nullable Path file;

    /** Returns the file. Called after the command line has been parsed. */
    public Path path() {
        return Objects.requireNonNull(file);
    }
}
