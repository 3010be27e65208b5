package io.understudy.report;

import java.util.Map;

/** Formats {@code report parallelism} as text: group sizes, simulated speedups, and the conflicts that limit them. */
public final class ParallelismText {
    /** Smaller shares are rounded to none. */
    private static final double SHOWN = 0.0005;

    private ParallelismText() {}

    /**
     * Returns the report as text.
     *
     * @param report the maps that {@code ParallelismReport} returns
     */
    public static String of(Map<String, Object> report) {
        Table out = new Table();
        out.line(
                "%d transactions in %d commit groups, %.2f per group",
                Table.whole(report, "transactions"),
                Table.whole(report, "groups"),
                Table.number(report, "transactionsPerGroup"));
        Map<String, Object> sizes = Table.map(report, "groupSizes");
        if (!sizes.isEmpty()) {
            out.line("  groups by size: %s", sizes);
        }
        simulation(out, report, "conservative", "slave_parallel_mode=conservative: commit groups one after the other");
        simulation(
                out,
                report,
                "optimistic",
                "slave_parallel_mode=optimistic: all but schema changes, if nothing conflicts");
        out.line("");
        out.line("Long transactions (from %.3f s on)", Table.number(report, "longAboveSeconds"));
        if (Table.rows(report, "long").isEmpty()) {
            out.line("  none");
        }
        for (Map<String, Object> row : Table.rows(report, "long")) {
            out.line(
                    "  %-24s %9.3f s %12d bytes  %s",
                    row.get("gtid"), Table.number(row, "seconds"), Table.whole(row, "bytes"), row.get("what"));
        }
        out.line("");
        out.line("A model and an upper bound: no row locks, no retries, no disk. Schema changes take as long as on"
                + " the primary, in whole");
        out.line("seconds; rows are applied at 20 MB/s; a commit takes 0.2 ms.");
        return out.text();
    }

    private static void simulation(Table out, Map<String, Object> report, String mode, String title) {
        out.line("");
        out.line("%s", title);
        out.line(
                "  %7s %12s %9s %22s %12s %12s",
                "threads", "makespan s", "speedup", "long in own domain", "long split", "stalled s");
        for (Map<String, Object> row : Table.rows(report, mode)) {
            out.line(
                    "  %7d %12.3f %9.2f %22.2f %12.2f %12.3f  %s",
                    Table.whole(row, "threads"),
                    Table.number(row, "makespanSeconds"),
                    Table.number(row, "speedup"),
                    Table.number(row, "speedupLongInOwnDomain"),
                    Table.number(row, "speedupLongSplit"),
                    Table.number(row, "stalledSeconds"),
                    Table.number(row, "stalledSeconds") >= SHOWN ? "behind " + row.get("worstStalls") : "");
        }
    }
}
