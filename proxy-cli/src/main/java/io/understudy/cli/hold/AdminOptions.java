package io.understudy.cli.hold;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.report.AdminClient;
import io.understudy.runtime.PluginTypes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Selects the running proxy. Its token is in the configuration. */
final class AdminOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            required = true,
            description = "The proxy's configuration file, for the admin address and token.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The admin endpoint, if not the file's.")
    private @Nullable String admin;

    AdminClient client() throws ConfigException {
        UnderstudyConfig config = ConfigLoader.load(
                        java.util.Objects.requireNonNull(file),
                        PluginTypes.installed().records())
                .config();
        return admin == null ? AdminClient.of(config.admin()) : AdminClient.of(admin, config.admin());
    }
}
