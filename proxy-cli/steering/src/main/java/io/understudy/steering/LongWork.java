package io.understudy.steering;

import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.gtiddomain.steering.TwoPhaseCoverage;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.steering.parallelism.AlterPhase;
import io.understudy.steering.parallelism.Workload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds single transactions that others had to wait for: schema changes, long transactions, and others. */
final class LongWork {
    /** Rows of this size take a worker at least some hundredths of a second. */
    private static final long MANY_BYTES = 1 << 20;

    private static final long LONG_MICROS = 500_000;
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer(2_048, 64);

    /** Transactions of one kind with the same subject. */
    private static final class Cause {
        long micros;
        int behind;
        Workload.Entry worst;
        long worstMicros;
        boolean received = true;
        final Set<String> gtids = new HashSet<>();

        Cause(Workload.Entry first) {
            worst = first;
        }

        void add(Workload.Entry entry, long lost, int waiting, boolean known) {
            micros += lost;
            behind = Math.max(behind, waiting);
            received &= known;
            gtids.add(entry.gtid());
            if (lost > worstMicros) {
                worst = entry;
                worstMicros = lost;
            }
        }
    }

    private final Evidence evidence;
    private final WhatIf whatIf;
    private final Rules rules;

    LongWork(Evidence evidence, WhatIf whatIf, Rules rules) {
        this.evidence = evidence;
        this.whatIf = whatIf;
        this.rules = rules;
    }

    List<StallCause> findings() {
        Map<String, Cause> causes = new LinkedHashMap<>();
        if (evidence.measured()) {
            for (Stall stall : evidence.stalls()) {
                add(causes, stall.head(), stall.micros(), stall.behind(), stall.received());
            }
        } else {
            List<Workload.Entry> entries = evidence.entries();
            for (int i = 0; i < entries.size() - 1; i++) {
                Workload.Entry entry = entries.get(i);
                if (entry.micros() >= LONG_MICROS) {
                    add(causes, entry, entry.micros(), entries.size() - 1 - i, true);
                }
            }
        }
        List<StallCause> findings = new ArrayList<>();
        causes.values().forEach(cause -> findings.add(finding(cause)));
        return findings;
    }

    private static void add(
            Map<String, Cause> causes, Workload.Entry entry, long micros, int behind, boolean received) {
        String subject =
                kind(entry).label + ' ' + entry.label() + ' ' + entry.hints().alter();
        causes.computeIfAbsent(subject, none -> new Cause(entry)).add(entry, micros, behind, received);
    }

    private static StallCause.Kind kind(Workload.Entry entry) {
        return entry.schemaChange()
                ? StallCause.Kind.SCHEMA_CHANGE
                : notable(entry) ? StallCause.Kind.LONG_TRANSACTION : StallCause.Kind.UNEXPLAINED;
    }

    /** Returns whether a transaction has so much work that it may stall a standby. */
    static boolean notable(Workload.Entry entry) {
        return entry.schemaChange() || entry.bytes() >= MANY_BYTES || entry.micros() >= LONG_MICROS;
    }

    private StallCause finding(Cause cause) {
        StallCause.Kind kind = kind(cause.worst);
        List<Action> actions = new ArrayList<>();
        String why = switch (kind) {
            case SCHEMA_CHANGE -> schemaChange(cause, actions);
            case LONG_TRANSACTION -> longTransaction(cause, actions);
            default ->
                "it has little work, so the cause is not in the log: a lock that a reader or a backup holds on"
                        + " the standby, or its disk; no rule helps";
        };
        return new StallCause(
                kind,
                cause.worst.label(),
                cause.micros,
                evidence.measured(),
                cause.gtids.size(),
                cause.worst.gtid(),
                waited(cause) + why,
                actions,
                own(cause));
    }

    private String waited(Cause cause) {
        if (!evidence.measured()) {
            return "by the log alone; ";
        }
        return cause.behind + " transactions waited behind it"
                + (cause.received
                        ? "; "
                        : " (whether the standby had received it is not known: its account has no"
                                + " REPLICA MONITOR); ");
    }

    private String schemaChange(Cause cause, List<Action> actions) {
        String gap = gap(cause.worst);
        if (cause.worst.hints().alter() != AlterPhase.WHOLE) {
            return "it was logged in two phases, and the standby needed longer for it than the primary";
        }
        if (gap != null && gap.isEmpty()) {
            actions.add(Action.rule(
                    "alter: two-phase",
                    saved(cause, whatIf.twoPhase(own(cause))),
                    rules.twoPhase(),
                    rules.twoPhaseNote("what the standby needs longer than the primary remains")));
        }
        String table = table(cause.worst.label());
        if (Rules.nameable(table)) {
            actions.add(Action.rule(
                    "domain: N",
                    saved(cause, whatIf.apart(own(cause))),
                    rules.schemaChanges(table),
                    "the riskiest action: read docs/gtid-domains.md first"));
        }
        return gap == null
                ? "it was logged when it had ended"
                : gap.isEmpty() ? "it was logged in one phase, when the primary had ended it" : gap;
    }

    /** Returns the simulated saving, and of transactions that the log's window has lost their measured time. */
    private long saved(Cause cause, long simulated) {
        Set<String> known = evidence.gtids();
        long lost = evidence.stalls().stream()
                .filter(stall -> cause.gtids.contains(stall.head().gtid())
                        && !known.contains(stall.head().gtid()))
                .mapToLong(Stall::micros)
                .sum();
        return simulated + lost;
    }

    private static java.util.function.Predicate<Workload.Entry> own(Cause cause) {
        return entry -> cause.gtids.contains(entry.gtid());
    }

    private static @Nullable String gap(Workload.Entry entry) {
        LoggedStatement change = entry.change();
        if (change == null) {
            return "its text is not known";
        }
        byte[] text = change.text().getBytes(StandardCharsets.UTF_8);
        return TwoPhaseCoverage.gap(ANALYZER.summarize(text, 0, text.length, 0).kind(), change.text());
    }

    /** Returns the table of a label such as {@code alter shop.orders}; empty for none or several. */
    private static String table(String label) {
        String[] words = label.split(" ");
        return words.length == 2 ? words[1] : "";
    }

    private String longTransaction(Cause cause, List<Action> actions) {
        Workload.Entry worst = cause.worst;
        long micros = Math.max(worst.micros(), cause.worstMicros);
        actions.add(new Action(
                "split",
                saved(cause, whatIf.split(own(cause))),
                "change",
                "let the application write it in " + (micros / WhatIf.PIECE + 1)
                        + " transactions, each of less than half a second",
                "no rule can do this"));
        String table = worst.tables().size() == 1 ? worst.tables().iterator().next() : table(worst.label());
        if (worst.statements() && Rules.nameable(table)) {
            actions.add(Action.rule(
                    "domain: N",
                    saved(cause, whatIf.apart(own(cause))),
                    rules.table(table),
                    "the riskiest action: read docs/gtid-domains.md first"));
            return "it is logged as a statement that took its time on the primary too";
        }
        return "it has " + worst.bytes()
                + " bytes of rows; a domain of its own would hardly help, since they pass through"
                + " the one stream of the log";
    }
}
