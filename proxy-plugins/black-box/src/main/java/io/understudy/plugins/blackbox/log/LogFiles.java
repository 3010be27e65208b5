package io.understudy.plugins.blackbox.log;

import io.understudy.base.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of a directory, whose names sort as they were written. */
public final class LogFiles {
    private static final Pattern NAME = Pattern.compile("transactions-\\d{12}\\.log");

    private LogFiles() {}

    static Path file(Path directory, long number) {
        return directory.resolve("transactions-%012d.log".formatted(number));
    }

    /**
     * Reads a log and changes nothing. Returns the process that writes it meanwhile, or null.
     *
     * @throws IOException if it is none, or cannot be read: with another key, of a newer version
     */
    public static @Nullable String read(Path directory, @Nullable Secret key, LogVisitor visitor) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory + ", where the log of a black box was expected (the proxy's"
                    + " plugins.black-box.directory)");
        }
        String holder = DirectoryLock.holder(directory);
        if (read(directory, new LogCipher.Keys(key), false, visitor).isEmpty()) {
            throw new IOException(directory + " has no files of a black box's log, such as "
                    + file(directory, 1).getFileName());
        }
        return holder;
    }

    static List<Segment> read(Path directory, LogCipher.Keys keys, boolean cut, LogVisitor visitor) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(
                            each -> NAME.matcher(each.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
        Map<Integer, byte[]> formats = new HashMap<>();
        List<Segment> segments = new ArrayList<>();
        for (Path each : files) {
            Segment segment = SegmentReader.read(each, keys, formats, cut, visitor);
            if (segment != null) {
                segments.add(segment);
            }
        }
        return segments;
    }
}
