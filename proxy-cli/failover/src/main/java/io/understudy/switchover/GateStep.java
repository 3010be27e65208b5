package io.understudy.switchover;

import io.understudy.terminal.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks the running proxy's readiness gate about the standby. What blocks ends the switchover, but for what steps of its
 * own mend: a lag that the operator allows, what was received and not applied, semi-sync that is off. The rest is
 * printed.
 */
record GateStep(Pair pair, ProxyControl proxy, Duration longestLag) implements Step {
    @Override
    public String plan() {
        return "ask the readiness gate about " + pair.standby().name();
    }

    @Override
    public String run() throws Exception {
        return judge(proxy.admin().readiness(pair.standby().name()), longestLag);
    }

    /** Returns the report as text, unless it ends the switchover. */
    static String judge(Map<String, Object> report, Duration longestLag) throws StepFailure {
        List<String> findings = new ArrayList<>();
        boolean lag = false;
        boolean mended = false;
        boolean others = false;
        for (Map<String, Object> finding : Table.rows(report, "findings")) {
            findings.add(line(finding));
            Object check = finding.get("check");
            // The primary lives: whatever the gate compares with it must have been compared.
            boolean decides = "blocks".equals(finding.get("severity"))
                    || Boolean.TRUE.equals(finding.get("decides"))
                    || "unknown".equals(finding.get("severity")) && "primary".equals(check);
            boolean ofLag = "lag".equals(check);
            boolean mends =
                    "received".equals(check) || "semi-sync".equals(check) && "source".equals(finding.get("subject"));
            lag |= decides && ofLag;
            mended |= decides && mends;
            others |= decides && !ofLag && !mends;
        }
        String verdict = String.valueOf(report.get("verdict"));
        String text = verdict + String.join("", findings);
        if (!others && (verdict.equals("yes") || verdict.equals("findings"))) {
            return text;
        }
        if (mended && !lag && !others) {
            return text + System.lineSeparator() + "    the steps that follow mend what blocks";
        }
        if (lag && !others && isWithin(report.get("lagSeconds"), longestLag)) {
            return text + System.lineSeparator() + "    --lag allows that: " + longestLag.toMillis() + " ms";
        }
        throw new StepFailure("the readiness gate says " + text);
    }

    private static boolean isWithin(@Nullable Object lagSeconds, Duration longest) {
        return lagSeconds instanceof Number seconds && seconds.doubleValue() * 1000 <= longest.toMillis();
    }

    private static String line(Map<?, ?> finding) {
        Object statement = finding.get("statement");
        return System.lineSeparator() + "    " + finding.get("severity") + " " + finding.get("check") + ": "
                + finding.get("what")
                + (statement == null || statement.toString().isEmpty() ? "" : "; " + statement);
    }
}
