package io.understudy.config.bind;

import io.understudy.config.bind.problem.Problems;
import io.understudy.config.bind.yaml.YamlNode;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Binds the nodes of one document to values by their {@link Shape}.
 *
 * @param directory base of relative file names
 */
public record Binder(Problems problems, Path directory) {

    /** A value that could not be bound; the problem is already reported. */
    static final Object FAILED = new Object();

    /** Returns the record, or null if something in it is invalid. */
    <R extends Record> @Nullable R bind(YamlNode node, Class<R> type, String path) {
        YamlNode section = node.isNull() ? new YamlNode.Mapping(node.position(), List.of()) : node;
        Object value = value(section, RecordShape.of(type), path);
        return value == FAILED ? null : type.cast(value);
    }

    Object value(YamlNode node, Shape shape, String path) {
        return node instanceof YamlNode.Scalar scalar && scalar.failed() ? FAILED : shape.bind(node, path, this);
    }

    Object unexpected(YamlNode node, String expected, String path) {
        problems.error(node.position(), path, "expected " + expected + " but found " + node.describe());
        return FAILED;
    }

    static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
