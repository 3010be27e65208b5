package io.understudy.lost;

import io.understudy.base.Secret;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.OtherProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The log of a black box, in place of its proxy. */
public final class DirectoryOption {
    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "The proxy of the file is down: read the log that its black box has left there"
                    + " (plugins.black-box.directory). Nothing is changed there.")
    private @Nullable Path directory;

    @Option(names = "--key-file", paramLabel = "FILE", description = "A file with the key that it is encrypted with.")
    private @Nullable Path keyFile;

    /**
     * Returns what the directory holds, or null if none is named.
     *
     * @param config has the accounts for standbys, and for servers given by their address
     * @param peers proxies whose black boxes are queried, too
     */
    public @Nullable LostSource source(@Nullable UnderstudyConfig config, List<OtherProxy> peers) throws IOException {
        if (directory == null) {
            return null;
        }
        Secret key =
                keyFile == null ? null : Secret.parse(Files.readString(keyFile).strip());
        return LostSource.saved(directory, key, config, peers);
    }
}
