package io.understudy.plugins.blackbox.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps a directory for one writer. The file stays: two could hold locks on a deleted one and its successor. */
final class DirectoryLock implements AutoCloseable {
    static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** Directories that this process writes: closing any channel of a file releases the process's locks on it. */
    private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    private static Path file(Path directory) {
        return directory.resolve("lock");
    }

    /**
     * Takes a directory, which is created if it is not there.
     *
     * @throws LogException if another writer has it, or others may write there
     */
    static DirectoryLock take(Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw LogException.unusable(directory + " may be written by others ("
                    + PosixFilePermissions.toString(permissions) + "), and the log holds rows: chmod 700 " + directory);
        }
        Path real = directory.toRealPath();
        if (!OURS.add(real)) {
            throw used(directory, " by this process");
        }
        boolean taken = false;
        try {
            FileChannel channel = FileChannel.open(
                    file(real),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            try {
                if (channel.tryLock() == null) {
                    throw used(directory, pid(real));
                }
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(
                        Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
                taken = true;
                return new DirectoryLock(real, channel);
            } finally {
                if (!taken) {
                    channel.close();
                }
            }
        } finally {
            if (!taken) {
                OURS.remove(real);
            }
        }
    }

    private static LogException used(Path directory, String by) {
        return LogException.unusable(directory + " is in use" + by + ": two proxies cannot write one directory; give"
                + " each its own (plugins.black-box.directory), or stop the other one");
    }

    private static String pid(Path directory) throws IOException {
        return " by process " + Files.readString(file(directory), StandardCharsets.US_ASCII);
    }

    /** Returns " by process …" if a proxy has the directory, else null. */
    static @Nullable String holder(Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (OURS.contains(real)) {
            return " by this process";
        }
        try (FileChannel channel = FileChannel.open(file(real), StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null ? pid(real) : null;
        } catch (NoSuchFileException e) {
            return null;
        } catch (OverlappingFileLockException e) {
            return " by this process";
        }
    }

    @Override
    public void close() throws IOException {
        OURS.remove(directory);
        channel.close();
    }
}
