package io.understudy.plugins.mirror.warmth;

import io.understudy.base.JsonReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a probe. Of the server's JSON, which can hold literals, only numbers and table names are kept.
 *
 * <p>Source: MariaDB Knowledge Base, "ANALYZE FORMAT=JSON": {@code r_engine_stats} has only counters that are not 0,
 * and {@code pages_accessed} where a page was touched at all.
 *
 * @param outcome whether there is a count
 * @param pages pages read from disk; meaningful with {@link Outcome#COUNTED} only
 * @param tables the pages by table
 */
public record ProbeResult(Outcome outcome, long pages, List<ReferencePages> tables) {
    /** The end of a probe. */
    public enum Outcome {
        COUNTED,
        /** The optimizer read rows before the execution began, and the server counts only what the execution reads. */
        READ_BY_OPTIMIZER,
        /** The server's version does not count page reads. */
        NO_COUNTERS,
        /** The server refused the probe; the statement was sent again as the client wrote it. */
        REFUSED,
        /** It was ended after the maximum time of a statement, so that what it would have read is not known. */
        TIMEOUT,
        UNREADABLE,
        /** There is a count, which found no place in the queue of those to be taken in. */
        QUEUE_FULL;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Messages in place of a table for which no page is read. */
    private static final Set<String> READS_NOTHING =
            Set.of("No tables used", "Impossible WHERE", "Impossible HAVING", "Zero limit");

    private static final int DEEPEST = 200;

    public static ProbeResult of(Outcome outcome) {
        return new ProbeResult(outcome, 0, List.of());
    }

    public static ProbeResult counted(long pages) {
        return new ProbeResult(Outcome.COUNTED, pages, List.of());
    }

    /** Parses the response to {@code ANALYZE FORMAT=JSON}. */
    public static ProbeResult parse(String json) {
        Walk walk = new Walk();
        try {
            Object root = JsonReader.read(json);
            if (!(root instanceof Map<?, ?> map) || !map.containsKey("query_block")) {
                return of(Outcome.UNREADABLE);
            }
            walk.visit(root, 0);
        } catch (IOException | RuntimeException e) {
            return of(Outcome.UNREADABLE);
        }
        if (walk.byOptimizer) {
            return of(Outcome.READ_BY_OPTIMIZER);
        }
        if (!walk.accessed && walk.executedTables > 0) {
            return of(Outcome.NO_COUNTERS);
        }
        long pages = walk.tables.stream().mapToLong(ReferencePages::pages).sum();
        return new ProbeResult(Outcome.COUNTED, pages, List.copyOf(walk.tables));
    }

    private static final class Walk {
        private final List<ReferencePages> tables = new ArrayList<>();
        private boolean accessed;
        private boolean byOptimizer;
        private int executedTables;

        void visit(@Nullable Object node, int depth) throws IOException {
            if (depth > DEEPEST) {
                throw new IOException("nested too deeply");
            }
            if (node instanceof List<?> list) {
                for (Object element : list) {
                    visit(element, depth + 1);
                }
            } else if (node instanceof Map<?, ?> map) {
                table(map);
                for (Object value : map.values()) {
                    visit(value, depth + 1);
                }
            }
        }

        private void table(Map<?, ?> node) {
            if (node.get("message") instanceof String message && !READS_NOTHING.contains(message)) {
                byOptimizer = true;
            }
            if (!(node.get("table_name") instanceof String name) || name.startsWith("<")) {
                return; // temporary results have names such as <derived2>
            }
            if (node.get("r_engine_stats") instanceof Map<?, ?> stats) {
                accessed |= stats.containsKey("pages_accessed") || stats.containsKey("pages_read_count");
                long pages = stats.get("pages_read_count") instanceof Number read ? read.longValue() : 0;
                tables.add(new ReferencePages(name, Math.max(0, pages)));
            } else if (!(node.get("r_loops") instanceof Number loops) || loops.longValue() > 0) {
                executedTables++;
            }
        }
    }
}
