package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.HandoverProbes;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.OwnershipReport;
import io.understudy.plugins.gtiddomain.ownership.WaitingTables;
import io.understudy.plugins.gtiddomain.parallelism.ParallelismReport;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.plugins.gtiddomain.progress.ApplierErrors;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.ReplicaLag;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The view of {@code /api/domains}. Thread-safe. */
final class DomainsView implements Supplier<Object> {
    private static final int MAX_CONTESTED = 50;
    private static final long LONG_MICROS = 500_000;

    private final Supplier<Policy> policies;
    private final DomainIndexes indexes;
    private final DomainMeters meters;
    private final Dictionary dictionary;
    private final PositionPoller poller;
    private final Orphans orphans;
    private final ReplicaLag lag;
    private final ApplierErrors errors;
    private final AdviceWindow window;
    private final BinlogGuard binlog;
    private final WaitingTables waiting;
    private final HandoverProbes handoverProbes;
    private final Workload workload;
    private final LongSupplier nanos;

    DomainsView(
            Supplier<Policy> policies,
            DomainIndexes indexes,
            DomainMeters meters,
            Dictionary dictionary,
            PositionPoller poller,
            Orphans orphans,
            ReplicaLag lag,
            ApplierErrors errors,
            AdviceWindow window,
            BinlogGuard binlog,
            WaitingTables waiting,
            HandoverProbes handoverProbes,
            Workload workload,
            LongSupplier nanos) {
        this.policies = policies;
        this.indexes = indexes;
        this.meters = meters;
        this.dictionary = dictionary;
        this.poller = poller;
        this.orphans = orphans;
        this.lag = lag;
        this.errors = errors;
        this.window = window;
        this.binlog = binlog;
        this.waiting = waiting;
        this.handoverProbes = handoverProbes;
        this.workload = workload;
        this.nanos = nanos;
    }

    @Override
    public Object get() {
        Policy policy = policies.get();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("mode", policy.tags.mode().name().toLowerCase(Locale.ROOT));
        view.put("guard", policy.tags.guard().name().toLowerCase(Locale.ROOT));
        view.put("defaultDomain", indexes.domain(DomainIndexes.DEFAULT));
        long writes = meters.writes.sum();
        view.put("writes", writes);
        view.put("independentShare", writes == 0 ? 0.0 : meters.independent.sum() / (double) writes);
        view.put("rules", rules(policy));
        Map<String, Object> conflicts = new LinkedHashMap<>();
        for (Conflict kind : Conflict.values()) {
            conflicts.put(kind.label(), meters.conflicts(kind));
        }
        view.put("conflicts", conflicts);
        view.put("guardState", guardState(policy));
        view.put("tablesWrittenFromTwoDomains", contested(policy));
        view.put("window", window.view(nanos.getAsLong(), MAX_CONTESTED));
        view.put("standbys", lag.view());
        view.put("applierErrors", errors.view());
        view.put("parallelism", ParallelismReport.of(workload, LONG_MICROS));
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

    private Map<String, Object> guardState(Policy policy) {
        Map<String, Object> state = new LinkedHashMap<>();
        String problem = poller.problem();
        state.put("problem", problem == null ? "" : problem);
        state.put("rowFormat", dictionary.rowFormat());
        state.put("learning", dictionary.learning());
        state.put("dictionaryStale", dictionary.stale());
        state.put("dictionaryCut", dictionary.catalog().cut());
        state.put("tablesKnown", dictionary.catalog().size());
        state.put("binlog", binlog.state());
        state.put("binlogTransactions", binlog.transactions());
        state.put("taggedByOthers", new TreeMap<>(binlog.taggedByOthers()));
        state.put("unseenWrites", binlog.unseen());
        state.put("unnamedWrites", binlog.unnamed());
        state.put("binlogUnreadable", binlog.unreadable());
        state.put("codeHidden", dictionary.catalog().hidden());
        state.put("codeDynamic", dictionary.catalog().dynamic());
        state.put("learnedTies", learned());
        state.put("tablesFollowed", policy.ownership.size());
        state.put("tableLimitReached", policy.ownership.full());
        state.put("writesInFlight", policy.ownership.inFlight());
        state.put("handovers", waiting.handovers());
        state.put("tablesWaiting", waiting.size());
        state.put("quickLookBursts", handoverProbes.bursts());
        state.put("quickLooks", handoverProbes.probes());
        state.put("lostSessions", orphans.size());
        return state;
    }

    /** Returns the tables that the binary log has shown to be written together with others. */
    private Map<String, Object> learned() {
        Map<String, Object> ties = new TreeMap<>();
        dictionary.relations().learned().forEach((table, others) -> {
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
                    writes.put(indexes.label(index), table.writesByIndex().get(index));
                }
            }
            row.put("writesByDomain", writes);
            row.put("wantedDomains", indexes.labels(table.wanted()));
            row.put("keptInDefault", table.unsteerable());
            rows.add(row);
        }
        return rows;
    }
}
