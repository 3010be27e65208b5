package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats the contents of a standby's buffer pool as text for {@code report pages}. */
public final class PagesText {
    private static final double KIB = 1024;
    private static final double MIB = KIB * KIB;

    private PagesText() {}

    /**
     * Returns the report as text.
     *
     * @param report the maps that {@code PagesReport} returns
     */
    public static String of(Map<String, Object> report) {
        Table out = new Table();
        double pageSize = Table.number(report, "pageSize");
        out.line(
                "%s: %s, buffer pool of %,.1f MiB in pages of %,.0f KiB: %,d of %,d pages used, %,d dirty; read in"
                        + " %.1f s",
                report.get("standby"),
                report.get("version"),
                Table.number(report, "poolPages") * pageSize / MIB,
                pageSize / KIB,
                Table.whole(report, "usedPages"),
                Table.whole(report, "poolPages"),
                Table.whole(report, "dirtyPages"),
                Table.number(report, "readSeconds"));
        out.line("");
        out.line(
                "%-32s %9s %9s %6s %9s %5s %5s %6s %9s %9s",
                "table, index", "pages", "MiB", "pool", "rows/page", "fill", "old", "dirty", "rebuilt", "frees MiB");
        for (Map<String, Object> table : Table.rows(report, "worst")) {
            line(out, "", table.get("name"), table);
            Table.rows(table, "indexes").forEach(index -> line(out, "  ", index.get("index"), index));
            if (Table.whole(table, "otherPages") > 0) {
                out.line("  %-30s %,9d", "(long values and the like)", Table.whole(table, "otherPages"));
            }
        }
        end(out, report);
        return out.text();
    }

    /** Writes the line of a table or an index. Only a table tells what a rebuild frees. */
    private static void line(Table out, String indent, @Nullable Object name, Map<String, Object> row) {
        double pages = Math.max(1, Table.number(row, "pages"));
        boolean table = row.containsKey("freesPages");
        out.line(
                "%-32s %,9d %,9.1f %5.1f%% %9s %4.0f%% %4.0f%% %5.0f%% %9s %9s",
                indent + name,
                Table.whole(row, "pages"),
                Table.number(row, "MiB"),
                100 * Table.number(row, "poolShare"),
                table ? "" : String.format(Locale.ROOT, "%.1f", Table.number(row, "recordsPerPage")),
                100 * Table.number(row, "fill"),
                100 * Table.number(row, "oldPages") / pages,
                100 * Table.number(row, "dirtyPages") / pages,
                after(row, table),
                table ? String.format(Locale.ROOT, "%,.1f", Table.number(row, "freesMiB")) : "");
    }

    private static String after(Map<String, Object> row, boolean table) {
        if (!table && row.get("pagesAfter") == null) {
            return "unknown";
        }
        return String.format(
                Locale.ROOT,
                "%,d",
                table ? Table.whole(row, "pages") - Table.whole(row, "freesPages") : Table.whole(row, "pagesAfter"));
    }

    private static void end(Table out, Map<String, Object> report) {
        int listed = Table.rows(report, "worst").size();
        long tables = Table.whole(report, "tables");
        out.line("");
        if (tables > listed) {
            out.line("%,d more tables are in memory; --top lists them", tables - listed);
        }
        out.line("A rebuild of all tables would free %,.1f MiB of the pool.", Table.number(report, "freesMiB"));
        Map<String, Object> others = Table.map(report, "others");
        if (!others.isEmpty()) {
            out.line("Pages of no table: %s", others);
        }
        if (report.get("notes") instanceof List<?> notes) {
            notes.forEach(note -> out.line("note: %s", note));
        }
    }
}
