package io.understudy.readiness;

import java.util.EnumMap;
import java.util.Map;

/**
 * The shapes of what is defined on a server, by kind and name. A shape is a hash, or words where they are short.
 *
 * @param shapes by kind; a kind that could not be read is unknown, with the statement that makes it readable
 * @param bySchema whether the tables are too many for one shape each, so that there is one for a schema
 */
record Definitions(EnumMap<DefinitionKind, Known<Map<String, String>>> shapes, boolean bySchema) {
    Known<Map<String, String>> of(DefinitionKind kind) {
        return shapes.getOrDefault(kind, Known.late());
    }
}
