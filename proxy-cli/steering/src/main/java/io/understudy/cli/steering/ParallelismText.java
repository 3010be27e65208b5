package io.understudy.cli.steering;

import io.understudy.terminal.Table;
import java.util.List;
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
        if (report.containsKey("problem")) {
            out.line("%d transactions: %s", Table.whole(report, "transactions"), report.get("problem"));
            longOnes(out, report);
            return out.text();
        }
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
                "slave_parallel_mode=optimistic: all but schema changes; conflicting rows are repeated");
        dials(out, report, Table.rows(report, "dials"));
        longOnes(out, report);
        out.line("");
        out.line("A model and an upper bound: no locks but of rows known to conflict, no disk. Schema changes take as"
                + " long as on the primary,");
        out.line("in whole seconds; rows are applied at 20 MB/s; a commit takes 0.2 ms, a retry 0.3 ms.");
        return out.text();
    }

    private static void longOnes(Table out, Map<String, Object> report) {
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
    }

    private static void dials(Table out, Map<String, Object> report, List<Map<String, Object>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        out.line("");
        out.line("Group commit: the mean wait of a commit, and the speedup by threads in the mode conservative");
        out.line(
                "  %24s %10s %9s %12s %7s %7s %7s %7s",
                "binlog_commit_wait_count", "_usec", "per group", "mean wait ms", "1", "2", "4", "8");
        for (Map<String, Object> row : rows) {
            Map<String, Object> speedups = Table.map(row, "speedups");
            boolean asItWas = Table.whole(row, "waitCount") == 0;
            out.line(
                    "  %24s %10s %9.2f %12.2f %7.2f %7.2f %7.2f %7.2f",
                    asItWas ? "as it was" : row.get("waitCount"),
                    asItWas ? "" : row.get("waitMicros"),
                    Table.number(row, "transactionsPerGroup"),
                    1_000 * Table.number(row, "meanWaitSeconds"),
                    Table.number(speedups, "1"),
                    Table.number(speedups, "2"),
                    Table.number(speedups, "4"),
                    Table.number(speedups, "8"));
        }
        out.line(
                "  at the rate of the log, spread evenly within each second, with groups of %d at most: the log shows"
                        + " no more sessions",
                Table.whole(report, "sessions"));
        out.line("  that commit at once. Clients that wait for commits write more slowly, so groups stay smaller.");
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
