package io.understudy.embedded;

import java.util.ArrayList;
import java.util.List;

/**
 * The options of one embedded server.
 *
 * @param serverId the replication identity, unique within a topology, at least 1
 * @param bufferPool InnoDB buffer pool size in the server's notation, such as {@code 32M}
 * @param arguments further command-line arguments; they come last and so take precedence
 */
public record ServerOptions(int serverId, String bufferPool, List<String> arguments) {

    public ServerOptions {
        if (serverId < 1) {
            throw new IllegalArgumentException("server id " + serverId + ": must be at least 1");
        }
        if (!bufferPool.matches("\\d+[KMG]?")) {
            throw new IllegalArgumentException("buffer pool size '" + bufferPool + "': expected something like 32M");
        }
        arguments = List.copyOf(arguments);
    }

    /** Returns the options of a small server: 32 MB buffer pool, no further arguments. */
    public static ServerOptions of(int serverId) {
        return new ServerOptions(serverId, "32M", List.of());
    }

    public ServerOptions withBufferPool(String size) {
        return new ServerOptions(serverId, size, arguments);
    }

    /** Returns a copy with the arguments appended. */
    public ServerOptions withArguments(String... more) {
        return withArguments(List.of(more));
    }

    /** Returns a copy with the arguments appended. */
    public ServerOptions withArguments(List<String> more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(more);
        return new ServerOptions(serverId, bufferPool, all);
    }
}
