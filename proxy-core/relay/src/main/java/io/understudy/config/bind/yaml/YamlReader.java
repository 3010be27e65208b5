package io.understudy.config.bind.yaml;

import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Parses text to {@link YamlNode}. Bounded in depth, aliases and their expansion, so that a document costs no more than
 * its size suggests.
 */
public final class YamlReader {

    private static final int MAX_DEPTH = 64;
    private static final int MAX_ALIASES = 100;
    private static final long MAX_NODES = 100_000;

    private final Problems problems;
    private final Substitution substitution;
    private final IdentityHashMap<Node, YamlNode> done = new IdentityHashMap<>();
    private final IdentityHashMap<Node, Boolean> open = new IdentityHashMap<>();
    private final IdentityHashMap<YamlNode, Long> sizes = new IdentityHashMap<>();

    public YamlReader(Problems problems, Substitution substitution) {
        this.problems = problems;
        this.substitution = substitution;
    }

    /**
     * Returns the document, an empty mapping for an empty one; null if it cannot be parsed, which has been reported.
     */
    @Nullable
    public YamlNode read(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(problems.source().name())
                .setUseMarks(true)
                // They are rejected later with their position, which the composer does not give.
                .setAllowNonScalarKeys(true)
                .setMaxAliasesForCollections(MAX_ALIASES)
                .build();
        try {
            if (tooDeep(settings, text)) {
                return null;
            }
            Optional<Node> root = new Compose(settings).composeString(text);
            if (root.isEmpty()) {
                return new YamlNode.Mapping(Position.START, List.of());
            }
            YamlNode node = convert(root.get());
            if (sizes.getOrDefault(node, 1L) > MAX_NODES) {
                problems.error(
                        node.position(),
                        "",
                        "the document has more than " + MAX_NODES + " values once its aliases are unfolded; split it");
                return null;
            }
            return node;
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().or(e::getContextMark).orElse(null);
            Position position = mark == null ? Position.START : position(mark);
            problems.source().hideAround(position);
            problems.error(position, "", syntax(e.getProblem()));
        } catch (ReaderException e) {
            problems.error(
                    at(text, e.getPosition()),
                    "",
                    String.format("the character U+%04X is not allowed in YAML; remove it", e.getCodePoint()));
        } catch (YamlEngineException e) {
            problems.error(Position.START, "", "not readable as YAML: " + e.getMessage());
        }
        return null;
    }

    /** Counts levels without recursion: the composer has no bound and would overflow the stack. */
    private boolean tooDeep(LoadSettings settings, String text) {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            Event.ID id = event.getEventId();
            if (id == Event.ID.MappingStart || id == Event.ID.SequenceStart) {
                if (++depth > MAX_DEPTH) {
                    Position position =
                            event.getStartMark().map(YamlReader::position).orElse(Position.START);
                    problems.error(position, "", "nested more than " + MAX_DEPTH + " levels deep");
                    return true;
                }
            } else if (id == Event.ID.MappingEnd || id == Event.ID.SequenceEnd) {
                depth--;
            }
        }
        return false;
    }

    private YamlNode convert(Node node) {
        YamlNode known = done.get(node);
        if (known != null) {
            return known;
        }
        Position position = node.getStartMark().map(YamlReader::position).orElse(Position.START);
        if (open.put(node, true) != null) {
            problems.error(position, "", "this value contains itself through an alias; write it out");
            return failed(position);
        }
        checkTag(node, position);
        YamlNode result;
        if (node instanceof MappingNode mapping) {
            result = mapping(mapping, position);
        } else if (node instanceof SequenceNode sequence) {
            List<YamlNode> items = new ArrayList<>();
            long size = 1;
            for (Node item : sequence.getValue()) {
                YamlNode converted = convert(item);
                items.add(converted);
                size = Math.min(MAX_NODES + 1, size + sizes.getOrDefault(converted, 1L));
            }
            result = new YamlNode.Sequence(position, items);
            sizes.put(result, size);
        } else {
            result = scalar((ScalarNode) node, position);
        }
        open.remove(node);
        done.put(node, result);
        return result;
    }

    private YamlNode mapping(MappingNode node, Position position) {
        List<YamlNode.Entry> entries = new ArrayList<>();
        Map<String, Position> seen = new HashMap<>();
        long size = 1;
        for (NodeTuple tuple : node.getValue()) {
            Position at =
                    tuple.getKeyNode().getStartMark().map(YamlReader::position).orElse(position);
            if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
                problems.error(at, "", "a key must be a single word; quote a value that starts with { or [");
                continue;
            }
            String key = keyNode.getValue();
            if (key.equals("<<")) {
                problems.error(at, "", "merge keys (<<) are not part of YAML 1.2; repeat the keys here");
                continue;
            }
            Position first = seen.putIfAbsent(key, at);
            YamlNode value = convert(tuple.getValueNode());
            if (first != null) {
                problems.error(at, "", "duplicate key '" + key + "'; it is already set at " + first);
                hideUnlessKnown(value);
                continue;
            }
            entries.add(new YamlNode.Entry(at, key, value));
            size = Math.min(MAX_NODES + 1, size + sizes.getOrDefault(value, 1L));
        }
        YamlNode result = new YamlNode.Mapping(position, entries);
        sizes.put(result, size);
        return result;
    }

    /** A dropped value is never bound, so nothing else would mark it as a secret. */
    private void hideUnlessKnown(YamlNode value) {
        if (value instanceof YamlNode.Scalar scalar) {
            problems.source().hide(scalar.position(), scalar.lastLine());
        }
    }

    private YamlNode scalar(ScalarNode node, Position position) {
        String raw = node.getValue();
        boolean plain = node.getScalarStyle() == ScalarStyle.PLAIN;
        int lastLine = node.getEndMark().map(m -> m.getLine() + 1).orElse(position.line());
        if (!Substitution.concerns(raw)) {
            return new YamlNode.Scalar(position, raw, raw, plain, false, false, lastLine);
        }
        try {
            return new YamlNode.Scalar(position, raw, substitution.apply(raw), plain, true, false, lastLine);
        } catch (IllegalArgumentException e) {
            problems.error(position, "", String.valueOf(e.getMessage()));
            return new YamlNode.Scalar(position, raw, "", plain, true, true, lastLine);
        }
    }

    /** A leading {@code !} is a tag in YAML, and the text after it is lost; match keys use it for negation. */
    private void checkTag(Node node, Position position) {
        Tag tag = node.getTag();
        if (tag != null && tag.getValue().startsWith("!")) {
            problems.source().hideAround(position);
            problems.error(position, "", "YAML reads a leading ! as a tag; put the value in quotes");
        }
    }

    private static YamlNode failed(Position position) {
        return new YamlNode.Scalar(position, "", "", true, true, true, position.line());
    }

    private static Position position(Mark mark) {
        return new Position(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static Position at(String text, int index) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < Math.min(index, text.length()); i++) {
            if (text.charAt(i) == '\n') {
                line++;
                column = 1;
            } else {
                column++;
            }
        }
        return new Position(line, column);
    }

    /** The parser's message, with a remedy for common mistakes. */
    private static String syntax(@Nullable String problem) {
        String text = problem == null ? "cannot be parsed" : problem.replaceAll("\\s+", " ");
        if (text.startsWith("found undefined alias")) {
            // Without the name: it may be a password that starts with an asterisk.
            return "YAML reads a leading * as an alias, and none of that name is defined; put the value in quotes";
        }
        if (text.contains("that cannot start any token")) {
            return "YAML syntax: " + text + "; put the value in quotes, and indent with spaces";
        }
        if (text.endsWith("but got {")) {
            return "YAML syntax: " + text + "; put a value that contains { in quotes, as in \"${env:NAME}\"";
        }
        if (text.contains("found another document")) {
            return "only one document is read; remove the second '---'";
        }
        return "YAML syntax: " + text;
    }
}
