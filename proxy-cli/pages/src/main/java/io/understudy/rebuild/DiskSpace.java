package io.understudy.rebuild;

import io.understudy.config.Address;
import io.understudy.sql.Quoting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
    private final Volumes volumes;

    /**
     * A file system.
     *
     * @param id equal for folders of the same file system
     * @param free usable bytes
     */
    record Volume(Object id, long free) {
        private static Volume of(Path folder) throws IOException {
            return new Volume(id(folder), Files.getFileStore(folder).getUsableSpace());
        }

        private static Object id(Path folder) throws IOException {
            try {
                // The JDK's file stores tell two mount points of one file system apart.
                return Files.getAttribute(folder, "unix:dev");
            } catch (UnsupportedOperationException | IllegalArgumentException e) {
                return Files.getFileStore(folder);
            }
        }
    }

    /** Returns the file system of a folder. */
    @FunctionalInterface
    interface Volumes {
        Volume of(Path folder) throws IOException;
    }

    /** The space that a rebuild needs on one file system. */
    private static final class Need {
        private final long free;
        private final List<String> folders = new ArrayList<>();
        private final List<TableSize.File> files = new ArrayList<>();
        private long bytes;

        private Need(long free) {
            this.free = free;
        }
    }

    /**
     * Creates the check.
     *
     * @param told free bytes as the operator stated them; null if not stated
     * @param byPartition whether partitions are copied one by one, each in place of the one before
     */
    DiskSpace(StandbyQueries standby, Address address, @Nullable Long told, boolean byPartition) {
        this(standby, address, told, byPartition, Volume::of);
    }

    DiskSpace(StandbyQueries standby, Address address, @Nullable Long told, boolean byPartition, Volumes volumes) {
        this.standby = standby;
        this.address = address;
        this.told = told;
        this.byPartition = byPartition;
        this.volumes = volumes;
    }

    void check(Subject subject) throws SQLException, Refused {
        String log = standby.queries().variable("innodb_online_alter_log_max_size");
        List<TableSize.File> files = TableSize.files(standby, subject.schema(), subject.table());
        long copy = files.isEmpty() ? subject.fileBytes() : copy(files);
        // The tmpdir holds the writes meanwhile, and the entries of secondary indexes while they are sorted.
        long temporary = (log.isEmpty() ? 0 : Long.parseLong(log)) + (sorts(subject) ? copy : 0);
        if (told != null) {
            enough(subject, copy + temporary, told, "the free space that --disk-free gave");
            return;
        }
        Path data = Path.of(standby.queries().variable("datadir"));
        if (!isHere() || !Files.isDirectory(data)) {
            throw new Refused("whether the standby's disk has room for a copy of " + subject.shown()
                    + " (" + mib(copy + temporary)
                    + ") cannot be seen from this host; say with --disk-free SIZE how much is free in "
                    + data);
        }
        Map<Object, Need> needs = new LinkedHashMap<>();
        // The copy of a file is made beside it, which DATA DIRECTORY or a symbolic link may put on another disk.
        for (Map.Entry<Path, List<TableSize.File>> folder : folders(data, files).entrySet()) {
            need(needs, folder.getKey(), folder.getKey() + " (its files)").files.addAll(folder.getValue());
        }
        if (files.isEmpty()) {
            need(needs, data, data.toString()).bytes += copy;
        }
        Path tmpdir = temporary(data);
        need(needs, tmpdir, tmpdir + " (the server's tmpdir)").bytes += temporary;
        for (Need need : needs.values()) {
            enough(
                    subject,
                    copy(need.files) + need.bytes,
                    need.free,
                    (need.folders.size() > 1 ? "the file system of " : "") + String.join(" and ", need.folders));
        }
    }

    private Need need(Map<Object, Need> needs, Path folder, String shown) throws Refused {
        Volume volume = volume(folder);
        Need need = needs.computeIfAbsent(volume.id(), id -> new Need(volume.free()));
        need.folders.add(shown);
        return need;
    }

    /** Returns whether the rebuild sorts entries: those of the clustered index are read in its order. */
    private boolean sorts(Subject subject) throws SQLException {
        return standby.queries()
                        .number("SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "
                                + Quoting.text(subject.schema()) + " AND TABLE_NAME = "
                                + Quoting.text(subject.table()) + " AND INDEX_NAME <> 'PRIMARY'")
                > 0;
    }

    /** Returns the bytes that a copy needs at most at one time. */
    private long copy(List<TableSize.File> files) {
        Map<String, Long> parts = files.stream()
                .collect(Collectors.groupingBy(
                        file -> byPartition ? file.partition() : "", Collectors.summingLong(TableSize.File::bytes)));
        return parts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns the table's files by folder. The data folder stands for those of its folders that are not readable. */
    private Map<Path, List<TableSize.File>> folders(Path data, List<TableSize.File> files) throws SQLException {
        Map<Path, List<TableSize.File>> folders = new TreeMap<>();
        Map<Long, String> paths = TableSize.paths(standby, files);
        for (TableSize.File file : files) {
            String path = paths.get(file.space());
            Path folder = path == null ? null : data.resolve(path).normalize().getParent();
            boolean known = folder != null && (!folder.startsWith(data.normalize()) || Files.isDirectory(folder));
            folders.computeIfAbsent(known ? Objects.requireNonNull(folder) : data, key -> new ArrayList<>())
                    .add(file);
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

    private Volume volume(Path folder) throws Refused {
        try {
            return volumes.of(folder);
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
