package io.understudy.report;

import io.understudy.layout.Layout;
import io.understudy.lost.RescueRecipe;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The reports as text: a layout for each view, in the file of its name. */
public enum ReportText {
    COMMITS,
    DIGEST,
    DOMAINS,
    FAILOVER,
    LOST,
    MIRROR,
    OUTCOMES,
    PAGES,
    RESCUE,
    SESSIONS;

    /**
     * Returns the text of {@code rescue}.
     *
     * @param rescue the response of {@code POST /api/lost/rescue}
     * @param file that was written
     */
    public static String rescue(Map<String, ?> rescue, String file) {
        Map<String, Object> shown = new LinkedHashMap<>(rescue);
        shown.put("file", file);
        boolean mysql = Boolean.TRUE.equals(rescue.get("mysql"));
        shown.put("replay", RescueRecipe.of(mysql, file, "-h NEW_PRIMARY -u ADMIN"));
        return RESCUE.of(shown);
    }

    /** Returns the text of a view's response. */
    public String of(Map<String, ?> view) {
        return Layout.beside(ReportText.class, name().toLowerCase(Locale.ROOT)).text(view);
    }
}
