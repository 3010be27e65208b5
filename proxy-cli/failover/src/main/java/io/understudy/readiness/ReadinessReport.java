package io.understudy.readiness;

import io.understudy.config.StandbyConfig;
import io.understudy.readiness.ServerFacts.FreeDisk;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The verdict on a standby with its findings, the heaviest first. Immutable. */
public record ReadinessReport(
        StandbyConfig standby, Situation situation, LagCheck.Lag lag, List<Finding> findings, Duration took) {
    /** The verdict, with the exit code of {@code understudy ready}. */
    public enum Verdict {
        YES("yes", 0),
        FINDINGS("findings", 4),
        NO("no", 8),
        UNKNOWN("unknown", 8);

        private final String word;
        private final int exitCode;

        Verdict(String word, int exitCode) {
            this.word = word;
            this.exitCode = exitCode;
        }
    }

    public ReadinessReport {
        findings = findings.stream()
                .sorted(Comparator.comparing(Finding::severity))
                .toList();
    }

    public Verdict verdict() {
        if (count(Severity.BLOCKS) > 0) {
            return Verdict.NO;
        }
        if (findings.stream().anyMatch(Finding::decides)) {
            return Verdict.UNKNOWN;
        }
        return findings.size() == count(Severity.NOTES) ? Verdict.YES : Verdict.FINDINGS;
    }

    private long count(Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }

    /** Returns whether each reading has the definitions of both servers. */
    boolean hasDefinitions() {
        return hasDefinitions(situation.before()) && hasDefinitions(situation.now());
    }

    private static boolean hasDefinitions(Situation.Round round) {
        return round.standby().get(ServerFacts.DEFINITIONS).value() != null
                && round.primary().get(ServerFacts.DEFINITIONS).value() != null;
    }

    /** Returns the report as JSON, with names of accounts and tables. */
    public Map<String, Object> view() {
        Map<String, @Nullable Object> view = summary();
        view.put("address", standby.address().toString());
        view.put("primary", server(situation.now().primary(), situation.primaryAddress()));
        view.put("version", situation.now().standby().variable("version"));
        view.put("warmth", situation.proxy().warmth());
        FreeDisk disk = situation.now().standby().get(ServerFacts.FREE_DISK).value();
        view.put("freeDiskBytes", disk == null ? null : disk.free());
        view.put("findings", findings.stream().map(Finding::view).toList());
        return nonNull(view);
    }

    /** Returns the report without names: what stands against a promotion, by check. */
    public Map<String, Object> redacted() {
        Map<String, @Nullable Object> view = summary();
        view.put("findings", findings.stream().map(Finding::redacted).toList());
        view.put("redacted", true);
        return nonNull(view);
    }

    private Map<String, @Nullable Object> summary() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("standby", standby.name());
        view.put("verdict", verdict().word);
        view.put("exitCode", verdict().exitCode);
        view.put("lagSeconds", lag.seconds());
        view.put("transactionsBehind", lag.transactions());
        view.put("predictedHoldSeconds", lag.holdSeconds());
        Map<String, Object> counts = new LinkedHashMap<>();
        for (Severity severity : Severity.values()) {
            counts.put(severity.word(), count(severity));
        }
        view.put("counts", counts);
        view.put("seconds", took.toMillis() / 1000.0);
        return view;
    }

    private static Map<String, Object> server(ServerFacts facts, String address) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("address", address);
        view.put("reachable", facts.responded());
        view.put("version", facts.variable("version"));
        return view;
    }

    /** A key is always there; what is not known is null in the JSON. */
    @SuppressWarnings({"unchecked", "NullAway"})
    private static Map<String, Object> nonNull(Map<String, @Nullable Object> view) {
        return (Map<String, Object>) (Map<String, ?>) view;
    }
}
