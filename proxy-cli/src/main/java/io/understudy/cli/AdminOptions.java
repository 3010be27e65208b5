package io.understudy.cli;

import io.understudy.config.AdminConfig;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.report.AdminClient;
import io.understudy.runtime.PluginTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Selects the running proxy that a command asks, and its token. */
public final class AdminOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The proxy's configuration file, for the admin address and token.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the admin token, instead of the configuration's.")
    private @Nullable Path tokenFile;

    /** Returns a client of that proxy. */
    public AdminClient client(CommandLine line) throws ConfigException, IOException {
        Path configuration = file;
        String address = admin;
        String token = tokenFile == null ? null : Files.readString(tokenFile).strip();
        if (configuration == null && address == null) {
            throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
        }
        if (configuration == null) {
            return new AdminClient(String.valueOf(address), token);
        }
        AdminConfig config = ConfigLoader.load(
                        configuration, PluginTypes.installed().records())
                .config()
                .admin();
        if (token != null) {
            return new AdminClient(address == null ? config.address().toString() : address, token);
        }
        return address == null ? AdminClient.of(config) : AdminClient.of(address, config);
    }
}
