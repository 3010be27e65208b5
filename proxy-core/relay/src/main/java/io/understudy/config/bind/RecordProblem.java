package io.understudy.config.bind;

import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.yaml.YamlNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line of a record's exception with its position in the document: {@code name: reason}, {@code name reason} and
 * {@code list[1].name: reason} stand at the value that they name, as far as the document has it; any other line at the
 * record's mapping.
 *
 * @param component the first component that the line names, or empty
 */
record RecordProblem(Position position, String path, String message, String component) {

    private static final Pattern NAMED =
            Pattern.compile("([A-Za-z][A-Za-z0-9_]*)((?:\\.[A-Za-z0-9_-]+|\\[[0-9]+])*)(?::| ) *(.*)");
    private static final Pattern STEP = Pattern.compile("\\.([A-Za-z0-9_-]+)|\\[([0-9]+)]");

    static RecordProblem of(String line, YamlNode.Mapping mapping, List<String> keys, String path) {
        Matcher named = NAMED.matcher(line);
        if (!named.matches() || !keys.contains(named.group(1))) {
            return new RecordProblem(mapping.position(), path, line, "");
        }
        String component = named.group(1);
        return new RecordProblem(
                locate(mapping, component + named.group(2)),
                Binder.join(path, component + named.group(2)),
                named.group(3),
                component);
    }

    /** Returns the position of the deepest value of a path that the document has. */
    static Position locate(YamlNode root, String path) {
        YamlNode node = root;
        Matcher step = STEP.matcher("." + path);
        while (step.find()) {
            YamlNode next = descend(node, step.group(1), step.group(2));
            if (next == null) {
                break;
            }
            node = next;
        }
        return node.position();
    }

    private static @Nullable YamlNode descend(YamlNode node, @Nullable String key, @Nullable String index) {
        if (key != null) {
            return node instanceof YamlNode.Mapping mapping ? mapping.get(key) : null;
        }
        int i = Integer.parseInt(String.valueOf(index));
        if (node instanceof YamlNode.Sequence sequence) {
            return i < sequence.items().size() ? sequence.items().get(i) : null;
        }
        // A list of one item may be written without brackets.
        return i == 0 ? node : null;
    }
}
