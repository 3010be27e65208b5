package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads of which the mirror's {@code verify} found other rows on the standby. */
final class VerifyCheck implements Check {
    private static final Findings FOUND = new Findings("verify");
    private static final int SHOWN = 10;

    @Override
    public List<Finding> findings(Situation situation) {
        List<Map<String, Object>> differences = situation.proxy().differences();
        if (differences == null) {
            return situation.expected().differences()
                    ? List.of(FOUND.unknown(
                            "",
                            "whether reads differ there from the primary is not known: the proxy was not asked, or does"
                                    + " not verify",
                            "the standby may have other rows than the primary",
                            "start the proxy, and give the admin token (admin.token in the file)"))
                    : List.of();
        }
        List<Finding> findings = new ArrayList<>();
        differences.stream()
                .limit(SHOWN)
                .forEach(row -> findings.add(FOUND.blocks(
                        String.valueOf(row.get("digest")),
                        "it has other rows than the primary: a read of " + row.get("tables") + " (digest "
                                + row.get("digest") + ") gave " + row.get("rowsStandby") + " rows there and "
                                + row.get("rowsPrimary") + " on the primary, found at " + row.get("found")
                                + (differences.size() > SHOWN
                                        ? "; " + differences.size() + " reads differ in all"
                                        : ""),
                        "the application gets them after the promotion, and what the primary had is lost",
                        "compare the tables and repair or build the standby anew; the finding goes when the read no"
                                + " longer differs")));
        return findings;
    }
}
