package io.understudy.config;

import io.understudy.config.bind.yaml.TextFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Variables of the file {@code understudy.env} beside a configuration, which systemd passes to the service. Commands
 * that an operator types do not get them from systemd, so the file itself is read. Its rules are systemd's, not the
 * shell's: see systemd.exec(5), "EnvironmentFile".
 */
final class EnvironmentFile {
    private static final String NAME = "understudy.env";
    private static final String ESCAPED_IN_DOUBLE_QUOTES = "\"\\`$";

    private final Path file;
    private final Map<String, String> values;
    /** What keeps the file from being read; null if nothing does. */
    private final @Nullable String problem;

    private EnvironmentFile(Path file, Map<String, String> values, @Nullable String problem) {
        this.file = file;
        this.values = values;
        this.problem = problem;
    }

    /** Reads the file beside {@code configuration}. It may be absent, or readable by others only. */
    static EnvironmentFile beside(Path configuration) {
        Path file = configuration.toAbsolutePath().normalize().resolveSibling(NAME);
        try {
            return new EnvironmentFile(
                    file, Files.exists(file) ? parse(TextFile.read(file, ConfigLoader.MAX_BYTES)) : Map.of(), null);
        } catch (TextFile.UnreadableException e) {
            return new EnvironmentFile(file, Map.of(), e.getMessage());
        }
    }

    /**
     * Returns the process's variable, or else the file's; null if neither has one. An empty one in the file is none.
     *
     * @throws IllegalArgumentException if it is not set, and the file cannot be read
     */
    @Nullable
    String get(String name) {
        String set = System.getenv(name);
        if (set != null) {
            return set;
        }
        if (problem != null) {
            throw new IllegalArgumentException(
                    "the environment variable " + name + " is not set, and " + file + " " + problem);
        }
        String value = values.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** Returns the variables of a text. */
    static Map<String, String> parse(String text) {
        Map<String, String> values = new HashMap<>();
        int at = 0;
        while (at < text.length()) {
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            String line = text.substring(at, end).strip();
            int equals = line.indexOf('=');
            if (line.isEmpty() || line.startsWith("#") || line.startsWith(";") || equals < 0) {
                at = end + 1;
                continue;
            }
            StringBuilder value = new StringBuilder();
            at = value(text, text.indexOf('=', at) + 1, value);
            values.put(line.substring(0, equals).strip(), value.toString());
        }
        return values;
    }

    /** Appends the value that begins at {@code at}. Returns where the next line begins. */
    private static int value(String text, int at, StringBuilder out) {
        int i = at;
        int kept = 0; // blanks behind it are not part of the value
        char quote = 0;
        while (i < text.length() && (quote != 0 || text.charAt(i) != '\n')) {
            char c = text.charAt(i++);
            boolean blank = quote == 0 && Character.isWhitespace(c);
            if (blank && out.isEmpty()) {
                continue;
            }
            if (c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '"' || c == '\'') && kept == out.length()) {
                quote = c;
            } else if (c == '\\' && quote != '\'' && i < text.length()) {
                char escaped = text.charAt(i++);
                boolean keepsIt = quote == '"' && escaped != '\n' && ESCAPED_IN_DOUBLE_QUOTES.indexOf(escaped) < 0;
                out.append(keepsIt ? "\\" : "").append(escaped == '\n' ? "" : escaped);
            } else {
                out.append(c);
            }
            kept = blank ? kept : out.length();
        }
        out.setLength(kept);
        return i + 1;
    }
}
