package io.understudy.bench;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Creates a standby from a physical copy of the primary's data, so that page numbers mean the same on both servers. */
final class Clones {
    private static final String USER = "repl";

    private Clones() {}

    /**
     * Starts a standby with the data of {@code primary}, which is stopped for the copy. Returns when the standby
     * replicates.
     */
    static EmbeddedServer of(EmbeddedServer primary, ServerOptions options) throws IOException {
        primary.execute(
                "CREATE OR REPLACE USER " + USER + "@'%' IDENTIFIED BY '" + USER + "'",
                "GRANT REPLICATION SLAVE ON *.* TO " + USER + "@'%'");
        String position = primary.ask("SELECT @@GLOBAL.gtid_binlog_pos");
        Path source = data(primary);
        EmbeddedServer standby = EmbeddedServer.start(options);
        Path target = data(standby);
        primary.stop();
        standby.stop();
        copy(source, target);
        primary.restart();
        standby.restart();
        standby.execute(
                "RESET MASTER",
                "SET GLOBAL gtid_slave_pos='" + position + "'",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + primary.port() + ", MASTER_USER='" + USER
                        + "', MASTER_PASSWORD='" + USER
                        + "', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1, MASTER_SSL=0",
                "START SLAVE");
        awaitCaughtUp(primary, standby);
        return standby;
    }

    static Path data(EmbeddedServer server) {
        return Path.of(server.ask("SELECT @@GLOBAL.datadir"));
    }

    static void awaitCaughtUp(EmbeddedServer primary, EmbeddedServer standby) {
        String goal = primary.ask("SELECT @@GLOBAL.gtid_binlog_pos");
        String outcome = standby.ask("SELECT MASTER_GTID_WAIT('" + goal + "', 30)");
        if (!outcome.equals("0")) {
            throw new IllegalStateException("the standby has not caught up with " + goal + " within 30 s");
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        for (Path old : paths(target)) {
            if (!old.equals(target)) {
                Files.deleteIfExists(old);
            }
        }
        List<Path> wanted;
        try (Stream<Path> walk = Files.walk(source)) {
            wanted = walk.filter(path -> !path.equals(source)).toList();
        }
        for (Path path : wanted) {
            Files.copy(path, target.resolve(source.relativize(path)));
        }
    }

    /** Returns children before their folders. */
    private static List<Path> paths(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.sorted(java.util.Comparator.reverseOrder()).toList();
        }
    }
}
