package io.understudy.demo.semisync;

import io.understudy.embedded.PairOptions.WaitPoint;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The experiment's table and its conclusions, as text. Times are milliseconds. */
final class SemiSyncTable {
    private SemiSyncTable() {}

    static String head() {
        return """
                One connection, one INSERT per transaction, through the proxy. Milliseconds; each time in the columns \
                from "execute" to
                "server" is a mean per commit; "error" is the median difference between "own ack" and "server" \
                commit by commit.

                """
                + String.format(
                        Locale.ROOT,
                        "%-13s %-13s %6s %8s %10s %8s %8s %9s %9s %9s %7s %10s%n",
                        "replica",
                        "wait point",
                        "rtt",
                        "commits",
                        "commits/s",
                        "p50",
                        "p99",
                        "execute",
                        "own ack",
                        "server",
                        "error",
                        "ceiling/s");
    }

    static String line(Row row) {
        Setting setting = row.setting();
        WaitPoint waitPoint = setting.waitPoint();
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-13s %-13s %6s %8d %10.1f %8.2f %8.2f %9.2f %9.2f %9.2f %7.2f %10.1f%n",
                setting.replica().label(),
                waitPoint == null ? "-" : waitPoint.name(),
                setting.replica() == Setting.Replica.NONE ? "-" : millis(setting),
                row.commits(),
                row.perSecond(),
                row.p50(),
                row.p99(),
                row.executeMean(),
                row.ackMean(),
                row.serverMean(),
                row.medianError(),
                row.ceiling()));
        row.problems()
                .forEach(problem ->
                        text.append("  NOT AS IT SHOULD BE: ").append(problem).append('\n'));
        return text.toString();
    }

    private static String millis(Setting setting) {
        double value = setting.rtt().toNanos() / 1e6;
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }

    /** Empty when there is nothing to compare. */
    static String foot(List<Row> rows) {
        Row slowest = slowest(rows);
        if (slowest == null || rows.get(0).perSecond() <= 0) {
            return "";
        }
        double without = rows.get(0).perSecond();
        return String.format(
                Locale.ROOT,
                "%nA replica %s ms away, waited for %s: %.1f commits a second on one connection instead of %.0f, as"
                        + " one commit takes"
                        + " %.1f ms.%nTo commit %.0f a second, about %.0f connections must commit at the same time.%n",
                millis(slowest.setting()),
                slowest.setting().waitPoint(),
                slowest.perSecond(),
                without,
                slowest.p50(),
                without,
                Math.ceil(without / slowest.perSecond()));
    }

    private static @Nullable Row slowest(List<Row> rows) {
        Row found = null;
        for (Row row : rows) {
            if (row.setting().semiSync() && row.commits() > 0 && (found == null || row.p50() > found.p50())) {
                found = row;
            }
        }
        return found;
    }
}
