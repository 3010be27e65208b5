package io.understudy.config;

import io.understudy.config.bind.problem.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** An unusable configuration, with every reason. */
public final class ConfigException extends Exception {

    private final transient List<Problem> problems;
    private final transient Set<Path> files;

    /** @param files that the configuration depends on, also those that are missing; a change may make it usable */
    public ConfigException(List<Problem> problems, Set<Path> files) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
        this.files = Set.copyOf(files);
    }

    /** Returns the files that the configuration depends on, as far as it could be read. */
    public Set<Path> files() {
        return files;
    }

    /** Returns every problem, ordered by position; at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
