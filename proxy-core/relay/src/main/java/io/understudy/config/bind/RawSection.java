package io.understudy.config.bind;

import io.understudy.config.bind.yaml.YamlNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mapping that is bound later, when its record type is known. Problems are added to its document. Its key
 * {@code enabled} (default true) belongs to the holder of the section, not to the record.
 */
public final class RawSection {

    private final YamlNode node;
    private final String path;
    private final Binder binder;
    private final boolean enabled;

    RawSection(YamlNode node, String path, Binder binder) {
        this.node = node;
        this.path = path;
        this.binder = binder;
        this.enabled = readEnabled();
    }

    private boolean readEnabled() {
        YamlNode value = node instanceof YamlNode.Mapping mapping ? mapping.get("enabled") : null;
        if (value == null || value.isNull()) {
            return true;
        }
        if (value instanceof YamlNode.Scalar scalar) {
            if (scalar.value().equals("true") || scalar.value().equals("false")) {
                return scalar.value().equals("true");
            }
            if (scalar.failed()) {
                return true;
            }
        }
        binder.unexpected(value, "true or false", path + ".enabled");
        return true;
    }

    /** Returns false if the section says {@code enabled: false}, else true. */
    public boolean enabled() {
        return enabled;
    }

    /** Returns the section's key path, for instance {@code plugins.mirror}. */
    public String path() {
        return path;
    }

    /** Returns the section as written, {@code enabled} included. */
    public YamlNode node() {
        return node;
    }

    /**
     * Binds the section. An empty section becomes a record of defaults.
     *
     * @return the record, or null if something in the section is invalid, which has been added to the document's
     *     problems
     */
    public <R extends Record> @Nullable R bind(Class<R> type) {
        YamlNode section = node instanceof YamlNode.Mapping mapping
                ? mapping.without("enabled")
                : new YamlNode.Mapping(node.position(), List.of());
        return binder.bind(section, type, path);
    }

    @Override
    public String toString() {
        return "section " + path + " at " + node.position();
    }
}
