package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Map;

/** Formats {@code /api/lost} as text for {@code report lost}. */
public final class LostText {
    private static final int LISTED = 20;

    private LostText() {}

    /**
     * Returns the report as text.
     *
     * @param view the response of {@code /api/lost}
     */
    public static String of(Map<String, Object> view) {
        Table out = new Table();
        Map<String, Object> survivor = Table.map(view, "survivor");
        Map<String, Object> primary = Table.map(view, "primary");
        out.line(
                "On %s (%s; %s), at %s",
                survivor.get("name"),
                survivor.get("chosen"),
                Boolean.TRUE.equals(survivor.get("readOnly")) ? "read-only" : "writable",
                isPositionKnown(survivor) ? survivor.get("position") : "no position: what it has is NOT KNOWN");
        if (Boolean.TRUE.equals(primary.get("read"))) {
            out.line("The primary's binary log is being read: what is missing below has not been applied yet, and is"
                    + " not lost.");
        } else {
            out.line("The primary's binary log was last read at %s: %s", primary.get("lostAt"), primary.get("why"));
        }
        if (isNeverRead(primary)) {
            out.line("Nothing is known of what is missing: the counts below are of what was read, which is nothing.");
        }
        logs(out, view);
        Map<String, Object> missing = Table.map(view, "answeredAndMissing");
        out.line("");
        out.line("Answered OK and missing: %d", Table.whole(missing, "count"));
        if (Table.whole(missing, "notCaptured") > 0) {
            out.line(
                    "  %d of these were not captured and cannot be rescued: the old primary answered them and"
                            + " did not send them on. They are in its binary log alone, under the GTIDs listed first",
                    Table.whole(missing, "notCaptured"));
        }
        transactions(out, missing);
        Map<String, Object> unsettled = Table.map(view, "answeredNumberUnknown");
        if (Table.whole(unsettled, "count") > 0) {
            out.line("");
            out.line(
                    "Answered OK, number unknown: %d. The server reported none, and it is not known whether they were"
                            + " logged; if they were, it is under these GTIDs, in the old primary's binary log",
                    Table.whole(unsettled, "count"));
            transactions(out, unsettled);
        }
        part(out, "Missing, not known to have been answered", Table.map(view, "missingNotKnownAnswered"));
        Map<String, Object> received = Table.map(view, "receivedNotApplied");
        part(out, "Received there but not applied", received);
        if (Boolean.FALSE.equals(received.get("known"))) {
            out.line("  not known: the account may not ask (GRANT SLAVE MONITOR; on MySQL REPLICATION CLIENT)");
        }
        if (received.get("warning") != null) {
            out.line("  WARNING: %s", received.get("warning"));
        }
        Map<String, Object> unknown = Table.map(view, "unknown");
        out.line("");
        out.line("Unknown because of a gap: %d", Table.whole(unknown, "transactions"));
        if (Table.whole(unknown, "transactions") > 0) {
            out.line("  %s: %s", unknown.get("numbers"), unknown.get("why"));
        }
        Map<String, Object> implied = Table.map(view, "impliedOnly");
        if (Table.whole(implied, "transactions") > 0) {
            out.line("");
            out.line("Implied by the position alone: %d", Table.whole(implied, "transactions"));
            out.line(
                    "  %s: reported before as a gap, received or not captured, and never seen applied: a replay has"
                            + " moved the position past them. Compare the tables with the old primary's binary log, and"
                            + " build the old primary anew. Once this server was compared or built anew itself: report"
                            + " lost --on %s --compared",
                    implied.get("numbers"), survivor.get("name"));
        }
        Map<String, Object> early = Table.map(view, "appliedNotKnownAnswered");
        out.line("");
        out.line(
                "Applied there, not known to have been answered: %d (other clients than the proxy's are among these)",
                Table.whole(early, "count"));
        transactions(out, early);
        List<Map<String, Object>> sessions = Table.rows(early, "interruptedSessions");
        if (!sessions.isEmpty()) {
            out.line("  sessions that ended while a write or commit was without an answer: %d", sessions.size());
            sessions.stream()
                    .limit(LISTED)
                    .forEach(each -> out.line(
                            "    session %s (thread %s, %s) digest %s at %s",
                            each.get("session"),
                            each.get("thread"),
                            each.get("user"),
                            each.get("digest"),
                            each.get("endedAt")));
        }
        Map<String, Object> kept = Table.map(view, "kept");
        out.line("");
        out.line(
                "The black box holds %d transactions in %d bytes; %d were dropped for want of room",
                Table.whole(kept, "transactions"), Table.whole(kept, "bytes"), Table.whole(kept, "dropped"));
        if (Table.whole(kept, "forgotten") > 0) {
            out.line(
                    "%d transactions of an earlier primary are forgotten: the primary has changed too often since",
                    Table.whole(kept, "forgotten"));
        }
        if (Table.whole(kept, "answersLost") > 0) {
            out.line(
                    "%d OKs were not recorded in a rush: their transactions count as not known to have been answered,"
                            + " and those of them that were not captured are not listed",
                    Table.whole(kept, "answersLost"));
        }
        return out.text();
    }

    /**
     * Returns whether something is missing that a rescue file does not bring back, or it is not known what is missing.
     */
    public static boolean warns(Map<String, Object> view) {
        if (!isPositionKnown(Table.map(view, "survivor")) || isNeverRead(Table.map(view, "primary"))) {
            return true;
        }
        return Boolean.FALSE.equals(Table.map(view, "primary").get("read"))
                && Table.whole(Table.map(view, "answeredAndMissing"), "notCaptured")
                                + Table.whole(Table.map(view, "answeredNumberUnknown"), "count")
                                + Table.whole(Table.map(view, "receivedNotApplied"), "count")
                                + Table.whole(Table.map(view, "unknown"), "transactions")
                                + Table.whole(Table.map(view, "impliedOnly"), "transactions")
                        > 0;
    }

    private static boolean isPositionKnown(Map<String, Object> survivor) {
        return !String.valueOf(survivor.get("position")).isBlank();
    }

    private static boolean isNeverRead(Map<String, Object> primary) {
        return "never read".equals(primary.get("lostAt"));
    }

    /** Says up to where the binary logs of primaries that are not read any more are known. */
    private static void logs(Table out, Map<String, Object> view) {
        for (Map<String, Object> each : Table.rows(view, "logs")) {
            if (Boolean.TRUE.equals(each.get("history"))) {
                out.line(
                        "(History: when %s was the primary before, its binary log was read up to %s. It was the primary"
                                + " again since: not the position to note)",
                        each.get("server"), each.get("upTo"));
            } else if (!Boolean.TRUE.equals(each.get("read"))) {
                out.line(
                        "The binary log of %s was read up to %s. It may hold more, which is in no list: before that"
                                + " server joins again, compare it with its %s",
                        each.get("server"), each.get("upTo"), each.get("variable"));
            }
        }
    }

    private static void part(Table out, String title, Map<String, Object> part) {
        out.line("");
        out.line("%s: %d", title, Table.whole(part, "count"));
        transactions(out, part);
    }

    private static void transactions(Table out, Map<String, Object> part) {
        Map<String, Object> tables = Table.map(part, "tables");
        if (!tables.isEmpty()) {
            out.line("  tables: %s", tables);
        }
        List<Map<String, Object>> rows = Table.rows(part, "transactions");
        rows.stream().limit(LISTED).forEach(each -> {
            String who = each.get("session") == null
                    ? ""
                    : "session " + each.get("session") + " (" + each.get("user") + ") digest " + each.get("digest")
                            + " answered " + each.get("answeredAt");
            out.line(
                    "  %-24s %s %s%s",
                    each.get("gtid"),
                    each.get("tables") == null ? "" : each.get("tables"),
                    who,
                    Boolean.FALSE.equals(each.get("captured")) && each.get("tables") == null ? " NOT CAPTURED" : "");
        });
        if (rows.size() > LISTED) {
            out.line("  … --json lists up to 1000");
        }
    }
}
