package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.OwnershipReport;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The view of {@code /api/domains}. Thread-safe. */
final class DomainsView implements Supplier<Object> {
    private static final int MAX_CONTESTED = 50;

    private final RunningDomains domains;
    private final LongSupplier nanos;

    DomainsView(RunningDomains domains, LongSupplier nanos) {
        this.domains = domains;
        this.nanos = nanos;
    }

    @Override
    public Object get() {
        Policy policy = domains.policies.policy();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("mode", policy.mode.name().toLowerCase(Locale.ROOT));
        view.put("guard", policy.guard.name().toLowerCase(Locale.ROOT));
        view.put("defaultDomain", domains.indexes.domain(DomainIndexes.DEFAULT));
        long writes = domains.meters.writes.sum();
        view.put("writes", writes);
        view.put("independentShare", writes == 0 ? 0.0 : domains.meters.independent.sum() / (double) writes);
        view.put("rules", rules(policy));
        view.put("nothingTagged", nothingTagged(policy));
        Map<String, Object> conflicts = new LinkedHashMap<>();
        for (Conflict kind : Conflict.values()) {
            conflicts.put(kind.label(), domains.meters.conflicts(kind));
        }
        view.put("conflicts", conflicts);
        view.put("guardState", guardState(policy));
        view.put("tablesWrittenFromTwoDomains", contested(policy));
        view.put("window", domains.window.view(nanos.getAsLong(), MAX_CONTESTED));
        view.put("standbys", domains.standbys.lag.view());
        view.put("applierErrors", domains.standbys.errors.view());
        return view;
    }

    private static List<Object> rules(Policy policy) {
        List<Object> rows = new ArrayList<>();
        for (int rule = 0; rule < policy.rules.size(); rule++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", policy.rules.name(rule));
            row.put("domain", policy.rules.rule(rule).domain());
            row.put("matched", policy.rules.hits(rule));
            for (WriteOutcome outcome : WriteOutcome.values()) {
                row.put(outcome.label(), policy.meters(rule).total(outcome));
            }
            row.put("patternAborts", policy.rules.patternAborts(rule));
            rows.add(row);
        }
        return rows;
    }

    private @Nullable String nothingTagged(Policy policy) {
        long matched = 0;
        Map<WriteOutcome, Long> total = new EnumMap<>(WriteOutcome.class);
        for (int rule = 0; rule < policy.rules.size(); rule++) {
            matched += policy.rules.hits(rule);
            for (WriteOutcome outcome : WriteOutcome.values()) {
                total.merge(outcome, policy.meters(rule).total(outcome), Long::sum);
            }
        }
        Map<WriteOutcome, Long> recent = domains.window.outcomes();
        String problem = domains.problem();
        return NothingTagged.why(
                domains.policies.config().mode() == Mode.TAG && policy.rules.size() > 0,
                policy.tagging,
                matched,
                recent.isEmpty() ? total : recent,
                domains.accounts.anyRefused(),
                problem == null ? "" : problem,
                domains.dictionary.learning());
    }

    private Map<String, Object> guardState(Policy policy) {
        Map<String, Object> state = new LinkedHashMap<>();
        String problem = domains.problem();
        state.put("problem", problem == null ? "" : problem);
        state.put("rowFormat", domains.dictionary.rowFormat());
        state.put("learning", domains.dictionary.learning());
        state.put("dictionaryStale", domains.dictionary.stale());
        state.put("dictionaryCut", domains.dictionary.catalog().cut());
        state.put("tablesKnown", domains.dictionary.catalog().size());
        state.put("binlog", domains.binlog.state());
        state.put("binlogTransactions", domains.binlog.transactions.sum());
        state.put("taggedByOthers", new TreeMap<>(domains.binlog.taggedByOthers()));
        state.put("unseenWrites", domains.binlog.unseen.sum());
        state.put("unnamedWrites", domains.binlog.unnamed.sum());
        state.put("binlogUnreadable", domains.binlog.unreadable.sum());
        state.put("codeHidden", domains.dictionary.catalog().hidden());
        state.put("codeUnseen", domains.dictionary.catalog().unseenSchemas());
        state.put("codeDynamic", domains.dictionary.catalog().dynamic());
        state.put("learnedTies", learned());
        state.put("tablesFollowed", policy.ownership.size());
        state.put("tableLimitReached", policy.ownership.full());
        state.put("writesInFlight", policy.ownership.inFlight());
        state.put("handovers", domains.handovers.count());
        state.put("handoverProbes", domains.handovers.probes());
        state.put("lostSessions", domains.orphans.size());
        return state;
    }

    /** Returns the tables that the binary log has shown to be written together with others. */
    private Map<String, Object> learned() {
        Map<String, Object> ties = new TreeMap<>();
        domains.dictionary.relations().learned().forEach((table, others) -> {
            if (ties.size() < MAX_CONTESTED) {
                ties.put(table, List.copyOf(others));
            }
        });
        return ties;
    }

    private List<Object> contested(Policy policy) {
        List<Object> rows = new ArrayList<>();
        for (OwnershipReport.Contested table : policy.ownership.report.contested(MAX_CONTESTED)) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", table.table());
            Map<String, Object> writes = new LinkedHashMap<>();
            for (int index = 0; index < table.writesByIndex().size(); index++) {
                if (table.writesByIndex().get(index) > 0) {
                    writes.put(
                            domains.indexes.label(index), table.writesByIndex().get(index));
                }
            }
            row.put("writesByDomain", writes);
            row.put("wantedDomains", domains.indexes.labels(table.wanted()));
            Conflict kept = table.kept();
            row.put("ownedBy", domains.indexes.labels(table.owners()));
            row.put("keptInDefault", kept != null);
            row.put("keptBy", kept == null ? "" : kept.label());
            rows.add(row);
        }
        return rows;
    }
}
