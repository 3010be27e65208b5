package io.understudy.cli.report;

import io.understudy.config.ConfigException;
import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.DirectoryOption;
import io.understudy.lost.LostSource;
import io.understudy.option.AdminOptions;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Selects the proxy whose black box is read, and the new primary. */
final class LostOptions {
    /** Exit code while something is missing that no rescue file brings back. */
    static final int WARNS = 4;

    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    @Option(
            names = "--on",
            paramLabel = "NAME|HOST:PORT",
            description =
                    "The new primary: a standby's name, 'primary', or an address, which is asked with the account of"
                            + " primary.monitor. By default the proxy's present primary when it has changed, else"
                            + " the standby that takes writes, else the one that lacks least.")
    private @Nullable String on;

    @Mixin
    private final DirectoryOption directory = new DirectoryOption();

    @Nullable
    String on() {
        return on;
    }

    /** Returns the configuration; null without a file. */
    @Nullable
    UnderstudyConfig config(CommandLine line) throws ConfigException {
        return proxy.config(line);
    }

    /** Returns what the directory holds, by itself; null if none is named. */
    @Nullable
    LostSource saved(UnderstudyConfig config) throws IOException {
        return directory.source(config, List.of());
    }

    LostSource source(CommandLine line) throws ConfigException, IOException {
        UnderstudyConfig config = config(line);
        LostSource saved = directory.source(config, proxy.peers(config));
        return saved != null ? saved : new LostSource(proxy.client(config), config, proxy.peers(config));
    }
}
