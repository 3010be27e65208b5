package io.understudy.rebuild;

import io.understudy.config.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the standby's disk has room for a copy. Neither product reports free space. On this host the data
 * folder's file system is queried; for a remote standby the operator has to state the free bytes.
 */
final class DiskSpace {
    private static final long MIB = 1 << 20;

    private final StandbyQueries standby;
    private final Address address;
    private final @Nullable Long told;
    private final boolean byPartition;
    private final Free free;

    /** Returns the usable bytes of a folder's file system. */
    @FunctionalInterface
    interface Free {
        long in(Path folder) throws IOException;
    }

    /**
     * Creates the check.
     *
     * @param told free bytes as the operator stated them; null if not stated
     * @param byPartition whether partitions are copied one by one, each in place of the one before
     */
    DiskSpace(StandbyQueries standby, Address address, @Nullable Long told, boolean byPartition) {
        this(
                standby,
                address,
                told,
                byPartition,
                folder -> Files.getFileStore(folder).getUsableSpace());
    }

    DiskSpace(StandbyQueries standby, Address address, @Nullable Long told, boolean byPartition, Free free) {
        this.standby = standby;
        this.address = address;
        this.told = told;
        this.byPartition = byPartition;
        this.free = free;
    }

    void check(Subject subject) throws SQLException, Refused {
        String log = standby.queries().variable("innodb_online_alter_log_max_size");
        long logBytes = log.isEmpty() ? 0 : Long.parseLong(log);
        List<TableSize.File> files = TableSize.files(standby, subject.schema(), subject.table());
        long need = (files.isEmpty() ? subject.fileBytes() : copy(files)) + logBytes;
        Long said = told;
        if (said != null) {
            enough(subject, need, said, "the free space that --disk-free gave");
            return;
        }
        Path data = Path.of(standby.queries().variable("datadir"));
        if (!isHere() || !Files.isDirectory(data)) {
            throw new Refused("whether the standby's disk has room for a copy of " + subject.shown()
                    + " (" + mib(need)
                    + ") cannot be seen from this host; say with --disk-free SIZE how much is free in "
                    + data);
        }
        enough(subject, need, free(data), data.toString());
        Path temporary = temporary(data);
        if (!temporary.equals(data)) {
            enough(subject, need, free(temporary), temporary + " (the server's tmpdir)");
        }
        // The copy of a file is made beside it, which DATA DIRECTORY or a symbolic link may put on another disk.
        for (Map.Entry<Path, List<TableSize.File>> folder : folders(data, files).entrySet()) {
            Path where = folder.getKey();
            enough(subject, copy(folder.getValue()) + logBytes, free(where), where + " (its files)");
        }
    }

    /** Returns the bytes that a copy needs at most at one time. */
    private long copy(List<TableSize.File> files) {
        Map<String, Long> parts = files.stream()
                .collect(Collectors.groupingBy(
                        file -> byPartition ? file.partition() : "", Collectors.summingLong(TableSize.File::bytes)));
        return parts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns the table's files by folder, without folders of the data folder that are not readable. */
    private Map<Path, List<TableSize.File>> folders(Path data, List<TableSize.File> files) throws SQLException {
        Map<Path, List<TableSize.File>> folders = new TreeMap<>();
        Map<Long, String> paths = TableSize.paths(standby, files);
        for (TableSize.File file : files) {
            String path = paths.get(file.space());
            Path folder = path == null ? null : data.resolve(path).normalize().getParent();
            if (folder != null && (!folder.startsWith(data.normalize()) || Files.isDirectory(folder))) {
                folders.computeIfAbsent(folder, key -> new ArrayList<>()).add(file);
            }
        }
        return folders;
    }

    private Path temporary(Path data) throws SQLException {
        String inner = standby.queries().variable("innodb_tmpdir");
        String first = (inner.isEmpty() ? standby.queries().variable("tmpdir") : inner).split(":", 2)[0];
        Path path = first.isEmpty() ? data : data.resolve(first);
        return Files.isDirectory(path) ? path : data;
    }

    private boolean isHere() throws SQLException {
        if (address.isUnix()) {
            return true;
        }
        try {
            return InetAddress.getByName(address.host()).isLoopbackAddress()
                    && standby.queries()
                            .variable("hostname")
                            .equals(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private long free(Path folder) throws Refused {
        try {
            return free.in(folder);
        } catch (IOException e) {
            throw new Refused("how much is free in " + folder + " cannot be seen: " + e.getMessage()
                    + "; say it with --disk-free SIZE");
        }
    }

    private static void enough(Subject subject, long need, long free, String where) throws Refused {
        if (free < need) {
            throw new Refused("no room for a copy of " + subject.shown() + ": the rebuild may need " + mib(need)
                    + ", and " + where + " has " + mib(free) + " free");
        }
    }

    private static String mib(long bytes) {
        return String.format(Locale.ROOT, "%,d MiB", (bytes + MIB - 1) / MIB);
    }
}
