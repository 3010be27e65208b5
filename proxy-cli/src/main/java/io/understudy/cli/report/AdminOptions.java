package io.understudy.cli.report;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.report.AdminClient;
import io.understudy.runtime.PluginTypes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Selects the running proxy whose admin endpoint is asked. */
final class AdminOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The proxy's configuration file, for the admin address, token and account.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The proxy's admin endpoint.")
    private @Nullable String admin;

    /** Returns the configuration, or null if only the endpoint's address is given. */
    @Nullable
    UnderstudyConfig config(CommandLine line) throws ConfigException {
        if (file != null) {
            return ConfigLoader.load(file, PluginTypes.installed().records()).config();
        }
        if (admin == null) {
            throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
        }
        return null;
    }

    /** @param config of {@link #config} */
    AdminClient client(@Nullable UnderstudyConfig config) {
        if (config == null) {
            return new AdminClient(String.valueOf(admin), null);
        }
        return admin == null ? AdminClient.of(config.admin()) : AdminClient.of(admin, config.admin());
    }
}
