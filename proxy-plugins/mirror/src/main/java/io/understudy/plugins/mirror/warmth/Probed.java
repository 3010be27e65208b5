package io.understudy.plugins.mirror.warmth;

import io.understudy.sql.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A probe that has ended.
 *
 * @param weight mirrorable statements for which it stands: 1 / (sample of its rule × share of probes)
 * @param schema default schema of its session
 * @param reads tables of the statement, by which aliases are told from names
 */
public record Probed(
        String rule,
        long digest,
        double weight,
        @Nullable String schema,
        List<TableName> reads,
        ProbeResult result,
        long nanos) {
    static final String ALIASED = "(by alias)";

    /** Returns the table to which {@code name} refers, with its schema. */
    String table(String name) {
        TableName only = reads.size() == 1 ? reads.get(0) : null;
        if (only != null) {
            return qualified(only);
        }
        for (TableName read : reads) {
            if (read.table().equalsIgnoreCase(name)) {
                return qualified(read);
            }
        }
        return ALIASED;
    }

    private String qualified(TableName name) {
        return name.schema() != null || schema == null ? name.toString() : schema + "." + name.table();
    }
}
