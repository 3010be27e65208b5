package io.understudy.option;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
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

    /** Loads the file. Called after the command line has been parsed. */
    public LoadedConfig load() throws ConfigException {
        return load(path());
    }

    /** Loads a configuration with the sections of the installed plugins. */
    public static LoadedConfig load(Path file) throws ConfigException {
        return ConfigLoader.load(file, PluginTypes.installed().records());
    }
}
