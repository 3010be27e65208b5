package io.understudy.config;

import io.understudy.config.bind.problem.Problem;
import java.util.List;
import java.util.Map;

/** Loads texts in tests with the plugins {@code sample} and {@code other-sample} and a fixed environment. */
final class ConfigTexts {

    static final Map<String, Class<? extends Record>> PLUGINS =
            Map.of("sample", SamplePlugin.class, "other-sample", SamplePlugin.class);

    static final Map<String, String> ENVIRONMENT = Map.of(
            "TOKEN", "a-token-of-fair-length",
            "PASSWORD", "hunter2-from-outside",
            "NUMBER", "42",
            "WORD", "swordfish",
            "EMPTY", "");

    private ConfigTexts() {}

    static LoadedConfig text(String text) throws ConfigException {
        return ConfigLoader.load(text, "test.yaml", PLUGINS, ENVIRONMENT::get);
    }

    /** Returns the problems of a text that must be refused. */
    static List<Problem> problems(String text) {
        try {
            LoadedConfig loaded = text(text);
            throw new AssertionError("accepted: " + loaded);
        } catch (ConfigException e) {
            return e.problems();
        }
    }

    static List<String> headlines(String text) {
        return problems(text).stream().map(Problem::headline).toList();
    }
}
