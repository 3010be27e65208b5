package io.understudy.config;

import io.understudy.config.bind.problem.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** An unusable configuration, with every reason. */
public final class ConfigException extends Exception {

    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Returns every problem, ordered by position; at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
