package io.understudy.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

    private static final String FOLDER = "-";
    private static final long INSTALL_SECONDS = 120;

    private final Path data;
    private final Path manifest;

    DataTemplate(Path cache) {
        data = cache.resolve("data");
        manifest = cache.resolve("data.manifest");
    }

    /** Returns whether all files exist in their original size; a cleaner of temporary files may have deleted some. */
    boolean isComplete() throws IOException {
        if (!Files.exists(manifest)) {
            return false;
        }
        for (String line : Files.readAllLines(manifest)) {
            Path path = data.resolve(nameIn(line));
            boolean same = isFolder(line)
                    ? Files.isDirectory(path)
                    : Files.isRegularFile(path)
                            && Long.toString(Files.size(path)).equals(sizeIn(line));
            if (!same) {
                return false;
            }
        }
        return true;
    }

    void make(Path base) throws IOException {
        Files.deleteIfExists(manifest);
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
        writeManifest();
    }

    private void writeManifest() throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : paths.sorted().toList()) {
                String size = Files.isDirectory(path) ? FOLDER : Long.toString(Files.size(path));
                lines.add(size + " " + data.relativize(path));
            }
        }
        Path partial = manifest.resolveSibling("data.manifest.part");
        Files.write(partial, lines);
        Files.move(partial, manifest, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    void copyTo(Path target) throws IOException {
        for (String line : Files.readAllLines(manifest)) {
            Path to = target.resolve(nameIn(line));
            if (isFolder(line)) {
                Files.createDirectories(to);
            } else {
                Files.copy(data.resolve(nameIn(line)), to);
            }
        }
    }

    private static boolean isFolder(String line) {
        return sizeIn(line).equals(FOLDER);
    }

    private static String sizeIn(String line) {
        return line.substring(0, line.indexOf(' '));
    }

    private static String nameIn(String line) {
        return line.substring(line.indexOf(' ') + 1);
    }
}
