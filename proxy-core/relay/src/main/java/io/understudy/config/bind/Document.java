package io.understudy.config.bind;

import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Problem;
import io.understudy.config.bind.problem.Problems;
import io.understudy.config.bind.problem.Source;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.Substitution;
import io.understudy.config.bind.yaml.YamlNode;
import io.understudy.config.bind.yaml.YamlReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A configuration text: parse it, bind it, add further problems, then read all problems at once. Not thread-safe. */
public final class Document {

    private final Problems problems;
    private final Substitution substitution;
    private final Binder binder;
    private final @Nullable YamlNode root;

    /**
     * Parses a text. Syntax errors are in {@link #errors()}, not thrown.
     *
     * @param name the text's name in problems, usually the file's name
     * @param directory base of relative file names
     * @param environment returns the value of an environment variable, or null
     */
    public Document(String text, String name, Path directory, Function<String, @Nullable String> environment) {
        this.problems = new Problems(new Source(name, text));
        this.substitution = new Substitution(environment, directory);
        this.binder = new Binder(problems, directory);
        this.root = new YamlReader(problems, substitution).read(text);
    }

    /** Binds the whole document; returns null if something in it is invalid. */
    public <R extends Record> @Nullable R bind(Class<R> type) {
        return root == null ? null : binder.bind(root, type, "");
    }

    /** Adds an error at the value of a key path, or at the nearest enclosing value in the document. */
    public void error(String path, String message) {
        problems.error(root == null ? Position.START : RecordProblem.locate(root, path), path, message);
    }

    /** Adds a warning, likewise. */
    public void warning(String path, String message) {
        problems.warning(root == null ? Position.START : RecordProblem.locate(root, path), path, message);
    }

    /**
     * Returns the sections below a top-level key, whatever else is wrong with the document; values that are not
     * mappings are left out, since {@link #bind} reports them.
     */
    public Map<String, RawSection> sections(String key) {
        Map<String, RawSection> sections = new LinkedHashMap<>();
        if (root instanceof YamlNode.Mapping mapping && mapping.get(key) instanceof YamlNode.Mapping parent) {
            for (YamlNode.Entry entry : parent.entries()) {
                if (entry.value() instanceof YamlNode.Mapping || entry.value().isNull()) {
                    sections.put(entry.key(), new RawSection(entry.value(), key + "." + entry.key(), binder));
                }
            }
        }
        return sections;
    }

    /** Adds an error at a key below a top-level key, for a key that should not be there. */
    public void unknownKey(String parent, String key, String what, List<String> known) {
        if (root instanceof YamlNode.Mapping mapping && mapping.get(parent) instanceof YamlNode.Mapping section) {
            for (YamlNode.Entry entry : section.entries()) {
                if (entry.key().equals(key)) {
                    Position value = entry.value().position();
                    problems.source().hide(value, value.line());
                    problems.error(entry.keyPosition(), parent, what + " '" + key + "'" + Suggestions.hint(key, known));
                }
            }
        }
    }

    /** Returns the problems that make the document invalid, ordered by position. */
    public List<Problem> errors() {
        return problems.sorted(Problem.Severity.ERROR);
    }

    /** Returns the warnings, ordered by position. */
    public List<Problem> warnings() {
        return problems.sorted(Problem.Severity.WARNING);
    }

    /** Returns the paths of values that contain a substitution, for instance {@code standbys[0].password}. */
    public Set<String> fromOutside() {
        Set<String> paths = new LinkedHashSet<>();
        if (root != null) {
            collect(root, "", paths);
        }
        return paths;
    }

    private static void collect(YamlNode node, String path, Set<String> paths) {
        if (!node.comesFromOutside()) {
            return;
        }
        if (node instanceof YamlNode.Mapping mapping) {
            mapping.entries().forEach(entry -> collect(entry.value(), Binder.join(path, entry.key()), paths));
        } else if (node instanceof YamlNode.Sequence sequence) {
            for (int i = 0; i < sequence.items().size(); i++) {
                collect(sequence.items().get(i), path + "[" + i + "]", paths);
            }
        } else {
            paths.add(path);
        }
    }

    /** Returns the files that substitutions refer to, readable or not. */
    public Set<Path> files() {
        return Set.copyOf(substitution.files());
    }
}
