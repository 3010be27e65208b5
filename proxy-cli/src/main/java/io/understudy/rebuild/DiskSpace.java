package io.understudy.rebuild;

import io.understudy.config.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the standby's disk has room for a copy. Neither product reports free space. On this host the data
 * folder's file system is queried; for a remote standby the operator has to state the free bytes.
 */
final class DiskSpace {
    private static final long MIB = 1 << 20;

    private final Standby standby;
    private final Address address;
    private final @Nullable Long told;

    /** @param told free bytes as the operator stated them; null if not stated */
    DiskSpace(Standby standby, Address address, @Nullable Long told) {
        this.standby = standby;
        this.address = address;
        this.told = told;
    }

    void check(Subject subject) throws SQLException, Refused {
        String log = standby.ask().variable("innodb_online_alter_log_max_size");
        long need = subject.fileBytes() + (log.isEmpty() ? 0 : Long.parseLong(log));
        Long said = told;
        if (said != null) {
            enough(subject, need, said, "the free space that --disk-free gave");
            return;
        }
        Path data = Path.of(standby.ask().variable("datadir"));
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
    }

    private Path temporary(Path data) throws SQLException {
        String inner = standby.ask().variable("innodb_tmpdir");
        String first = (inner.isEmpty() ? standby.ask().variable("tmpdir") : inner).split(":", 2)[0];
        Path path = first.isEmpty() ? data : data.resolve(first);
        return Files.isDirectory(path) ? path : data;
    }

    private boolean isHere() throws SQLException {
        if (address.isUnix()) {
            return true;
        }
        try {
            return InetAddress.getByName(address.host()).isLoopbackAddress()
                    && standby.ask()
                            .variable("hostname")
                            .equals(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static long free(Path folder) throws Refused {
        try {
            return Files.getFileStore(folder).getUsableSpace();
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
