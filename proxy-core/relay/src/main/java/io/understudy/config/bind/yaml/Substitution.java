package io.understudy.config.bind.yaml;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${env:NAME}} and {@code ${file:PATH}} in a scalar; a doubled dollar sign before a brace stands for
 * the two characters themselves. Records which files it read, so that a change of one of them can be noticed.
 */
public final class Substitution {

    /** A secret is one line; a larger file is a wrong path. */
    private static final int MAX_FILE_BYTES = 64 * 1024;

    private final Function<String, @Nullable String> environment;
    private final Path directory;
    private final Set<Path> files = new LinkedHashSet<>();

    public Substitution(Function<String, @Nullable String> environment, Path directory) {
        this.environment = environment;
        this.directory = directory;
    }

    public Set<Path> files() {
        return files;
    }

    /** Returns whether a text has anything to replace. */
    static boolean concerns(String text) {
        return text.contains("${");
    }

    /**
     * Replaces the references in a text.
     *
     * @throws IllegalArgumentException saying what is missing; never contains a value
     */
    String apply(String text) {
        StringBuilder result = new StringBuilder(text.length());
        int i = 0;
        while (i < text.length()) {
            if (text.startsWith("$${", i)) {
                result.append("${");
                i += 3;
            } else if (text.startsWith("${", i)) {
                int end = text.indexOf('}', i);
                if (end < 0) {
                    throw new IllegalArgumentException("'${' is not closed; write $${ for a literal ${");
                }
                result.append(resolve(text.substring(i + 2, end)));
                i = end + 1;
            } else {
                result.append(text.charAt(i++));
            }
        }
        return result.toString();
    }

    private String resolve(String reference) {
        if (reference.startsWith("env:") && reference.length() > 4) {
            String name = reference.substring(4);
            String value = environment.apply(name);
            if (value == null) {
                throw new IllegalArgumentException("the environment variable " + name + " is not set");
            }
            return value;
        }
        if (reference.startsWith("file:") && reference.length() > 5) {
            return content(reference.substring(5));
        }
        throw new IllegalArgumentException("unknown substitution '${" + reference
                + "}'; there are ${env:NAME} and ${file:PATH}, and $${ is a literal ${");
    }

    private String content(String name) {
        Path file;
        try {
            file = directory.resolve(name).normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + name + "' is no path of a file (" + e.getReason() + ")", e);
        }
        files.add(file);
        try {
            return withoutLastNewline(TextFile.read(file, MAX_FILE_BYTES));
        } catch (TextFile.UnreadableException e) {
            throw new IllegalArgumentException("the file " + file + " " + e.getMessage(), e);
        }
    }

    private static String withoutLastNewline(String text) {
        if (text.endsWith("\r\n")) {
            return text.substring(0, text.length() - 2);
        }
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
