package io.understudy.readiness;

import java.util.List;
import java.util.Map;

/** Reads of which the mirror's {@code verify} found other rows on the standby. */
final class VerifyCheck {
    private static final int SHOWN = 10;

    private VerifyCheck() {}

    static void find(Findings found) {
        List<Map<String, Object>> differences = found.situation().proxy().differences();
        if (differences == null) {
            if (found.situation().expected().differences()) {
                found.unknown(
                        "",
                        "whether reads differ there from the primary is not known: the proxy was not asked, or does"
                                + " not verify",
                        "the standby may have other rows than the primary",
                        "start the proxy, and give the admin token (admin.token in the file)");
            }
            return;
        }
        differences.stream()
                .limit(SHOWN)
                .forEach(row -> found.blocks(
                        String.valueOf(row.get("digest")),
                        "it has other rows than the primary: a read of " + row.get("tables") + " (digest "
                                + row.get("digest") + ") gave " + row.get("rowsStandby") + " rows there and "
                                + row.get("rowsPrimary") + " on the primary, found at " + row.get("found")
                                + (differences.size() > SHOWN
                                        ? "; " + differences.size() + " reads differ in all"
                                        : ""),
                        "the application gets them after the promotion, and what the primary had is lost",
                        "compare the tables and repair or build the standby anew; the finding goes when the read no"
                                + " longer differs"));
    }
}
