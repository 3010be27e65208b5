package io.understudy.config.bind.problem;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects the problems of one document. Not thread-safe. */
public final class Problems {

    /** Bounded, so that a file of another kind does not scroll the first problem out of sight. */
    private static final int MAX = 500;

    private record Entry(Problem.Severity severity, Position position, String path, String message) {}

    private final Source source;
    private final Set<Entry> entries = new LinkedHashSet<>();
    private int errors;

    public Problems(Source source) {
        this.source = source;
    }

    public Source source() {
        return source;
    }

    public int errors() {
        return errors;
    }

    public void error(Position position, String path, String message) {
        if (entries.size() < MAX) {
            entries.add(new Entry(Problem.Severity.ERROR, position, path, message));
        }
        errors++;
    }

    public void warning(Position position, String path, String message) {
        if (entries.size() < MAX) {
            entries.add(new Entry(Problem.Severity.WARNING, position, path, message));
        }
    }

    /** Sorted by position. Excerpts are made only now, when the place of every secret is known. */
    public List<Problem> sorted(Problem.Severity severity) {
        List<Problem> result = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.severity() == severity) {
                result.add(new Problem(
                        severity,
                        source.name(),
                        entry.position(),
                        entry.path(),
                        entry.message(),
                        source.excerpt(entry.position())));
            }
        }
        result.sort(Comparator.comparing(Problem::position));
        return List.copyOf(result);
    }
}
