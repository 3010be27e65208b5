package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.Map;

/** Formats the output of {@code rescue}: how to replay the written file, and when that is safe. */
public final class RescueText {
    private RescueText() {}

    /**
     * Returns the report as text.
     *
     * @param rescue the response of {@code POST /api/lost/rescue}
     */
    public static String of(Map<String, Object> rescue, String file) {
        Table out = new Table();
        boolean mysql = Boolean.TRUE.equals(rescue.get("mysql"));
        out.line(
                "%s: %d transactions that %s lacks, %d of them answered to clients, %d bytes",
                file,
                Table.whole(rescue, "transactions"),
                rescue.get("survivor"),
                Table.whole(rescue, "answered"),
                Table.whole(rescue, "bytes"));
        warnings(out, rescue);
        if (Table.whole(rescue, "transactions") == 0) {
            out.line("There is nothing to replay.");
            return out.text();
        }
        out.line("");
        if (mustNotReplay(rescue)) {
            out.line("No replay while that stands: see docs/black-box.md, \"understudy rescue\". The file holds rows:"
                    + " remove it afterwards.");
            return out.text();
        }
        out.line(
                "Replay it on the new primary before it takes writes and before other servers replicate from it anew:");
        if (mysql) {
            out.line("  (If ADMIN is not there yet: SET SESSION sql_log_bin=0 before CREATE USER and GRANT.)");
            out.line("  1. STOP REPLICA; SET GLOBAL super_read_only=0 (read_only stays on for the application)");
            out.line("  2. mysqlbinlog %s | mysql -h NEW_PRIMARY -u ADMIN", file);
            out.line("     (ADMIN needs REPLICATION_APPLIER, SYSTEM_VARIABLES_ADMIN, CONNECTION_ADMIN to write while"
                    + " read_only is on, and rights on the tables)");
            out.line("  3. SET GLOBAL super_read_only=1");
        } else {
            out.line("  (If ADMIN is not there yet: SET SESSION sql_log_bin=0 before CREATE USER and GRANT.)");
            out.line("  1. STOP SLAVE; keep read_only on for the application (ADMIN needs READ ONLY ADMIN)");
            out.line("  2. mariadb-binlog %s | mariadb -h NEW_PRIMARY -u ADMIN", file);
            out.line("     (ADMIN needs BINLOG REPLAY, and rights on the tables; on a server without a binary log also"
                    + " REPLICATION SLAVE ADMIN)");
        }
        out.line(
                "  %d. understudy report lost: nothing is missing any more%s; then open it for writes",
                mysql ? 4 : 3, Table.whole(rescue, "notCaptured") > 0 ? " but what was not captured" : "");
        out.line(
                "The client stops at the first error. A second replay is refused%s. The file holds rows: remove it"
                        + " afterwards.",
                mysql ? " by the GTIDs, silently" : "");
        return out.text();
    }

    /** Returns whether something is missing that the file does not bring back. */
    public static boolean warns(Map<String, Object> rescue) {
        return mustNotReplay(rescue) || Table.whole(rescue, "notCaptured") > 0;
    }

    /** Returns whether a replay would hide that something is missing, or collide with replication. */
    private static boolean mustNotReplay(Map<String, Object> rescue) {
        return Boolean.TRUE.equals(rescue.get("primaryRead"))
                || Table.whole(rescue, "unknown") + Table.whole(rescue, "receivedNotApplied") > 0
                || Table.whole(rescue, "impliedOnly") > 0;
    }

    private static void warnings(Table out, Map<String, Object> rescue) {
        if (Boolean.TRUE.equals(rescue.get("primaryRead"))) {
            out.line(
                    "WARNING: the primary is alive and its binary log is being read. What is missing is on its way"
                            + " to %s"
                            + " by replication; do not replay it.",
                    rescue.get("survivor"));
        }
        if (!String.valueOf(rescue.get("survivorBeyond")).isEmpty()) {
            out.line(
                    "WARNING: %s has transactions that the old primary did not have (%s): it may have taken writes"
                            + " already. Then"
                            + " a replay may fail on rows or GTIDs that are there, or undo newer changes. Compare"
                            + " the tables that"
                            + " report lost names before you replay anything.",
                    rescue.get("survivor"), rescue.get("survivorBeyond"));
        }
        if (Table.whole(rescue, "unknown") > 0) {
            out.line(
                    "WARNING: %d further transactions are not known to be applied and are not in the file (a gap)."
                            + " Later ones may"
                            + " need them: a replay can stop with an error, or change fewer rows than it did on the"
                            + " old primary.",
                    Table.whole(rescue, "unknown"));
        }
        if (Table.whole(rescue, "impliedOnly") > 0) {
            out.line(
                    "WARNING: %d transactions are implied by the position alone: a replay went past them, and they were"
                            + " never seen applied. report lost has their numbers.",
                    Table.whole(rescue, "impliedOnly"));
        }
        if (Table.whole(rescue, "receivedNotApplied") > 0) {
            out.line(
                    "WARNING: %d transactions are in relay logs of %s. Have them applied first (START SLAVE"
                            + " SQL_THREAD while its IO thread runs; MySQL: START REPLICA SQL_THREAD) and do not"
                            + " restart its replication: on MariaDB, with both threads stopped, any START SLAVE throws"
                            + " them away. Then run rescue again.",
                    Table.whole(rescue, "receivedNotApplied"), rescue.get("survivor"));
        }
        if (Table.whole(rescue, "notCaptured") > 0) {
            out.line(
                    "NOTE: %d answered transactions were not captured and are not in the file; report lost names them.",
                    Table.whole(rescue, "notCaptured"));
        }
    }
}
