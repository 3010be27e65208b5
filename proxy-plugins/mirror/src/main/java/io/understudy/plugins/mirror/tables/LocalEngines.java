package io.understudy.plugins.mirror.tables;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The storage engines that read a table's rows on the server itself and from no other table. FEDERATED, CONNECT,
 * SPIDER, S3, ColumnStore or NDB may open connections to other servers, and MRG_MyISAM reads tables that no statement
 * names. An engine that is not listed here is not read by the mirror.
 */
final class LocalEngines {
    /** In front of the engine's name in a reason. */
    private static final String REASON = "engine_";

    private static final Set<String> LOCAL =
            Set.of("innodb", "myisam", "aria", "memory", "archive", "csv", "blackhole", "rocksdb", "tokudb");

    private LocalEngines() {}

    /**
     * Returns null if a table may be read, or the reason why not.
     *
     * @param engine as {@code information_schema.TABLES} has it, which for a partitioned table is that of its
     *     partitions; null if the server cannot open the table's definition
     */
    static @Nullable String unfit(@Nullable String engine) {
        String name = engine == null ? "unknown" : engine.toLowerCase(Locale.ROOT);
        return LOCAL.contains(name) ? null : REASON + name;
    }
}
