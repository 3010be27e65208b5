package io.understudy.lost;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.rows;
import static io.understudy.terminal.Table.whole;

import java.util.Map;

/** Decides whether something is missing on the new primary that a rescue file does not bring back. */
public final class LostWarnings {
    private LostWarnings() {}

    /**
     * Returns whether something is missing that stays missing, or it is not known what is.
     *
     * @param view the response of {@code /api/lost}
     */
    public static boolean lost(Map<String, Object> view) {
        if (String.valueOf(map(view, "survivor").get("position")).isBlank()
                || "never read".equals(map(view, "primary").get("lostAt"))
                || damaged(view)) {
            return true;
        }
        return Boolean.FALSE.equals(map(view, "primary").get("read"))
                && rows(view, "notAsked").size()
                                + rows(view, "notKnown").size()
                                + whole(map(view, "answeredAndMissing"), "notCaptured")
                                + whole(map(view, "answeredNumberUnknown"), "count")
                                + whole(map(view, "receivedNotApplied"), "count")
                                + whole(map(view, "unknown"), "transactions")
                                + whole(map(view, "impliedOnly"), "transactions")
                        > 0;
    }

    /**
     * Returns whether the file lacks something, a replay would hide that something is missing, or collide with
     * replication.
     *
     * @param rescue the response of {@code POST /api/lost/rescue}
     */
    public static boolean rescue(Map<String, Object> rescue) {
        return damaged(rescue)
                || Boolean.TRUE.equals(rescue.get("primaryRead"))
                || rows(rescue, "notAsked").size()
                                + whole(rescue, "elsewhere")
                                + whole(rescue, "unknown")
                                + whole(rescue, "receivedNotApplied")
                                + whole(rescue, "impliedOnly")
                                + whole(rescue, "notCaptured")
                        > 0;
    }

    /** Returns whether the log was damaged where it may have held more. */
    private static boolean damaged(Map<String, Object> view) {
        return !rows(view, "damaged").isEmpty();
    }
}
