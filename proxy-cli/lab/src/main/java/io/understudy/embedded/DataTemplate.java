package io.understudy.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A data folder as {@code mariadb-install-db} creates it. Installing takes a second or more per server, copying takes a
 * few dozen milliseconds. Used only under the lock of {@link ServerBinaries}.
 */
final class DataTemplate {

    /** Must equal the setting of the servers that use the copy; otherwise each start resizes the log. */
    static final String LOG_FILE_SIZE = "16M";

    private static final long INSTALL_SECONDS = 120;

    private final Path data;
    /** Has the number of files and their bytes. */
    private final Path complete;

    DataTemplate(Path cache) {
        data = cache.resolve("data");
        complete = cache.resolve("data.complete");
    }

    /** Returns whether all files are there; a cleaner of temporary files may have deleted some. */
    boolean isComplete() throws IOException {
        return Files.exists(complete) && Files.readString(complete).equals(contents());
    }

    private String contents() throws IOException {
        if (!Files.exists(data)) {
            return "";
        }
        long files = 0;
        long bytes = 0;
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                files++;
                bytes += Files.isRegularFile(path) ? Files.size(path) : 0;
            }
        }
        return files + " " + bytes;
    }

    void make(Path base) throws IOException {
        Files.deleteIfExists(complete);
        Folders.delete(data);
        Path log = data.resolveSibling("install.log");
        List<String> command = new ArrayList<>(List.of(
                base.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                "--innodb-log-file-size=" + LOG_FILE_SIZE));
        if (ServerProcess.runsAsRoot()) {
            command.add("--user=root");
        }
        Process install = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!install.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("mariadb-install-db still ran after " + INSTALL_SECONDS + " s, see " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while mariadb-install-db ran", e);
        } finally {
            install.destroyForcibly();
        }
        if (install.exitValue() != 0) {
            throw new IOException(
                    "mariadb-install-db ended with " + install.exitValue() + ": " + ServerProcess.tail(log));
        }
        Files.writeString(complete, contents());
    }

    void copyTo(Path target) throws IOException {
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path to = target.resolve(data.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(path, to);
                }
            }
        }
    }
}
