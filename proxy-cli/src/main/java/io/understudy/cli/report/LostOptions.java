package io.understudy.cli.report;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.report.AdminClient;
import io.understudy.report.LostSource;
import io.understudy.runtime.PluginTypes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Selects the proxy whose black box is asked, and the server in question. */
final class LostOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The proxy's configuration file, for the admin address, token and account.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(
            names = "--on",
            paramLabel = "NAME|HOST:PORT",
            description =
                    "The new primary: a standby's name, 'primary', or an address, which is asked with the account of"
                            + " primary.monitor. By default the proxy's present primary when it has changed, else"
                            + " the standby that"
                            + " takes writes, else the one that lacks least.")
    private @Nullable String on;

    @Nullable
    String on() {
        return on;
    }

    LostSource source(CommandLine line) throws ConfigException {
        UnderstudyConfig config = file == null
                ? null
                : ConfigLoader.load(file, PluginTypes.installed().records()).config();
        if (config == null && admin == null) {
            throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
        }
        AdminClient client = config == null
                ? new AdminClient(String.valueOf(admin), null)
                : admin == null ? AdminClient.of(config.admin()) : AdminClient.of(admin, config.admin());
        return new LostSource(client, config);
    }
}
