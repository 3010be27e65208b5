package io.understudy.readiness;

import io.understudy.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats the verdict on a standby as text for {@code ready}: one line, then the findings. */
public final class ReadinessText {
    private ReadinessText() {}

    /**
     * Returns the report as text.
     *
     * @param report the maps that {@code ReadinessReport} returns
     */
    public static String of(Map<String, Object> report) {
        Table out = new Table();
        List<Map<String, Object>> findings = Table.rows(report, "findings");
        out.line(
                "%s: %s%s%s", report.get("standby"), verdict(report, counted(findings)), figures(report), disk(report));
        boolean redacted = Boolean.TRUE.equals(report.get("redacted"));
        for (Map<String, Object> finding : findings) {
            String severity = String.valueOf(finding.get("severity"));
            if (redacted) {
                out.line("%-8s %s", severity, finding.get("check"));
                continue;
            }
            out.line("");
            out.line("%-8s %s: %s", severity, finding.get("check"), finding.get("what"));
            part(out, "why", finding);
            part(out, "mend", "statement", finding);
        }
        if (redacted && !findings.isEmpty()) {
            out.line("The admin token shows what, why and the statement: give the proxy's -c FILE, too.");
        }
        if (redacted && report.get("ageSeconds") instanceof Number age) {
            out.line(
                    "Read %d s ago, definitions %d s ago; with the token it is read now.",
                    age.longValue(), Table.whole(report, "definitionsAgeSeconds"));
        }
        return out.text();
    }

    private static void part(Table out, String key, Map<String, Object> finding) {
        part(out, key, key, finding);
    }

    private static void part(Table out, String label, String key, Map<String, Object> finding) {
        Object text = finding.get(key);
        if (text != null && !text.toString().isEmpty()) {
            out.line("         %-5s %s", label + ":", text);
        }
    }

    /** Notes change no verdict. */
    private static int counted(List<Map<String, Object>> findings) {
        String note = Severity.NOTES.word();
        return (int) findings.stream()
                .filter(finding -> !note.equals(finding.get("severity")))
                .count();
    }

    private static String verdict(Map<String, Object> report, int findings) {
        return switch (String.valueOf(report.get("verdict"))) {
            case "yes" -> "yes, it may be promoted";
            case "findings" -> "yes, with " + findings + (findings == 1 ? " finding" : " findings");
            case "no" -> "no, it must not be promoted as it is";
            default -> "not known whether it may be promoted";
        };
    }

    private static String disk(Map<String, Object> report) {
        if (!report.containsKey("freeDiskBytes")) {
            return ""; // without the token
        }
        return report.get("freeDiskBytes") instanceof Number free
                ? String.format(Locale.ROOT, "; %,d MiB of disk free", free.longValue() >> 20)
                : "; free disk not known";
    }

    private static String figures(Map<String, Object> report) {
        if (!(report.get("lagSeconds") instanceof Number)) {
            return "; lag not known";
        }
        return String.format(
                Locale.ROOT,
                "; lag %.0f s%s, a planned change holds clients for about %.1f s",
                Table.number(report, "lagSeconds"),
                report.get("transactionsBehind") instanceof Number
                        ? " (" + Table.whole(report, "transactionsBehind") + " transactions)"
                        : "",
                Table.number(report, "predictedHoldSeconds"));
    }
}
