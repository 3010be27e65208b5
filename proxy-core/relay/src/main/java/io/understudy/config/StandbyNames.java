package io.understudy.config;

import io.understudy.config.bind.Document;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.yaml.YamlNode;
import java.util.List;

/** Enforces a convention in plugins' sections: a key {@code standbys}, at any depth, names standbys of this file. */
final class StandbyNames {
    private static final String KEY = "standbys";

    private final Document document;
    private final List<String> known;

    private StandbyNames(Document document, List<String> known) {
        this.document = document;
        this.known = known;
    }

    /** Adds an error to the document for each unknown standby. */
    static void check(Document document, RawSection section, List<StandbyConfig> standbys) {
        List<String> known = standbys.stream().map(StandbyConfig::name).toList();
        new StandbyNames(document, known).check(section.node(), section.path());
    }

    private void check(YamlNode node, String path) {
        if (node instanceof YamlNode.Mapping mapping) {
            for (YamlNode.Entry entry : mapping.entries()) {
                String inner = path + "." + entry.key();
                if (entry.key().equals(KEY)) {
                    names(entry.value(), inner);
                } else {
                    check(entry.value(), inner);
                }
            }
        } else if (node instanceof YamlNode.Sequence sequence) {
            for (int i = 0; i < sequence.items().size(); i++) {
                check(sequence.items().get(i), path + "[" + i + "]");
            }
        }
    }

    private void names(YamlNode node, String path) {
        if (node instanceof YamlNode.Sequence sequence) {
            for (int i = 0; i < sequence.items().size(); i++) {
                names(sequence.items().get(i), path + "[" + i + "]");
            }
        } else if (node instanceof YamlNode.Scalar scalar && !node.isNull() && !known.contains(scalar.value())) {
            document.error(
                    path,
                    known.isEmpty()
                            ? "'" + scalar.value() + "' is no standby: there are none under standbys"
                            : "'" + scalar.value() + "' is no standby; known here: " + String.join(", ", known));
        }
    }
}
