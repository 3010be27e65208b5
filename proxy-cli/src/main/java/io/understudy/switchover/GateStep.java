package io.understudy.switchover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks the running proxy's readiness gate about the standby. What blocks ends the switchover; the rest is printed. */
final class GateStep implements Step {
    private final Pair pair;
    private final ProxyControl proxy;

    GateStep(Pair pair, ProxyControl proxy) {
        this.pair = pair;
        this.proxy = proxy;
    }

    @Override
    public String plan() {
        return "ask the readiness gate about " + pair.standby().name();
    }

    @Override
    public String run() throws Exception {
        Map<String, Object> report = proxy.readiness(pair.standby().name());
        List<String> findings = new ArrayList<>();
        if (report.get("findings") instanceof List<?> rows) {
            for (Object row : rows) {
                if (row instanceof Map<?, ?> finding) {
                    findings.add(line(finding));
                }
            }
        }
        String verdict = String.valueOf(report.get("verdict"));
        String text = verdict + String.join("", findings);
        if (verdict.equals("yes") || verdict.equals("findings")) {
            return text;
        }
        throw new StepFailure("the readiness gate says " + text);
    }

    private static String line(Map<?, ?> finding) {
        Object statement = finding.get("statement");
        return System.lineSeparator() + "    " + finding.get("severity") + " " + finding.get("check") + ": "
                + finding.get("what")
                + (statement == null || statement.toString().isEmpty() ? "" : "; " + statement);
    }
}
