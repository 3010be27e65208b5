package io.understudy.logging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.event.Level;

/**
 * The fields that systemd's journal reads besides a line's text: see {@code sd-daemon(3)} and {@code systemd.exec(5)}.
 */
final class Journal {
    private Journal() {}

    /** The variable names the stream, because programs that redirect the stream of theirs keep the variable. */
    static boolean isReadingStandardError() {
        String stream = System.getenv("JOURNAL_STREAM");
        if (stream == null) {
            return false;
        }
        try {
            Path error = Path.of("/proc/self/fd/2");
            return stream.equals(Files.getAttribute(error, "unix:dev") + ":" + Files.getAttribute(error, "unix:ino"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notThere) {
            return false;
        }
    }

    /** Returns the prefix of a line. */
    static String priority(Level level) {
        return switch (level) {
            case ERROR -> "<3>";
            case WARN -> "<4>";
            case INFO -> "<6>";
            default -> "<7>";
        };
    }
}
