package io.understudy.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the CPU time of a process's threads, grouped by purpose, from the scheduler's nanosecond counters ({@code
 * /proc/PID/task/TID/schedstat}), including kernel time. Linux only. A thread that has ended keeps its last reading.
 */
final class ThreadTimes {
    /** The purposes of Understudy's threads. */
    enum Group {
        /** The sessions' event loops: the primary path. */
        RELAY,
        /** The event loop of server connections, including the mirror's. */
        CLIENT,
        /** The plugin's executor. */
        PLUGIN,
        /** The JIT compilers. */
        JIT,
        /** Garbage collection and other VM threads that stop the application. */
        GC,
        /** All other threads: health checks, the admin endpoint, logging. */
        OTHER
    }

    private final Path tasks;
    private final Map<String, Group> groups = new HashMap<>();
    private final Map<String, Long> nanos = new HashMap<>();

    ThreadTimes(long pid) {
        tasks = Path.of("/proc/" + pid + "/task");
    }

    /** Returns the nanoseconds of each group so far. */
    Map<Group, Long> sample() {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
            for (Path task : all) {
                read(task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(tasks + " cannot be read: is the proxy still alive?", e);
        }
        Map<Group, Long> sums = new EnumMap<>(Group.class);
        for (Group group : Group.values()) {
            sums.put(group, 0L);
        }
        nanos.forEach((task, spent) -> sums.merge(groups.getOrDefault(task, Group.OTHER), spent, Long::sum));
        return sums;
    }

    private void read(Path task) {
        String id = task.getFileName().toString();
        try {
            String name = Files.readString(task.resolve("comm")).trim();
            String spent = Files.readString(task.resolve("schedstat")).split(" ", 2)[0];
            groups.put(id, group(name));
            nanos.put(id, Long.parseLong(spent));
        } catch (IOException e) {
            // The thread ended after the folder was listed.
        }
    }

    private static Group group(String name) {
        if (name.startsWith("relay-") || name.startsWith("iou-wrk")) {
            return Group.RELAY;
        }
        if (name.startsWith("client-")) {
            return Group.CLIENT;
        }
        if (name.startsWith("plugin-")) {
            return Group.PLUGIN;
        }
        if (name.startsWith("C1 ") || name.startsWith("C2 ")) {
            return Group.JIT;
        }
        return name.startsWith("G1 ") || name.startsWith("GC ") || name.startsWith("VM Thread")
                ? Group.GC
                : Group.OTHER;
    }
}
