package io.understudy.option;

import io.understudy.base.Secret;
import io.understudy.config.ConfigException;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Selects the running proxy that a command asks, and its token. */
public final class AdminOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The proxy's configuration file, for the admin address, token and account.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the admin token, instead of the configuration's.")
    private @Nullable Path tokenFile;

    @Mixin
    private final TrustOption trust = new TrustOption();

    /** Returns the configuration, or null if only the endpoint's address is given. */
    public @Nullable UnderstudyConfig config(CommandLine line) throws ConfigException {
        if (file != null) {
            return ConfigFile.load(file).config();
        }
        if (admin == null) {
            throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
        }
        return null;
    }

    /** Returns a client of that proxy. */
    public AdminClient client(CommandLine line) throws ConfigException, IOException {
        return client(config(line));
    }

    /**
     * Returns a client of the proxy that the configuration names.
     *
     * @param config of {@link #config}
     */
    public AdminClient client(@Nullable UnderstudyConfig config) throws IOException {
        String address = config == null ? null : config.admin().address().toString();
        return new AdminClient(admin != null ? admin : String.valueOf(address), token(config), trust.trust(config));
    }

    /**
     * Returns the other proxies that the configuration names; none without one.
     *
     * @param config of {@link #config}
     */
    public List<OtherProxy> peers(@Nullable UnderstudyConfig config) throws IOException {
        return config == null ? List.of() : OtherProxy.of(config, token(config), trust.trust(config));
    }

    private @Nullable String token(@Nullable UnderstudyConfig config) throws IOException {
        Secret configured = config == null ? null : config.admin().token();
        if (tokenFile != null) {
            return Files.readString(tokenFile).strip();
        }
        return configured == null ? null : configured.reveal();
    }
}
