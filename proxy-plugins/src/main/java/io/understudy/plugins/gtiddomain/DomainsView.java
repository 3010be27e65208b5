package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** What {@code /api/domains} shows. Any thread. */
final class DomainsView implements Supplier<Object> {
    private static final int MAX_CONTESTED = 50;

    private final Supplier<Policy> policies;
    private final DomainSlots slots;
    private final DomainMeters meters;
    private final Dictionary dictionary;
    private final PositionPoller poller;
    private final Orphans orphans;
    private final ReplicaLag lag;

    DomainsView(
            Supplier<Policy> policies,
            DomainSlots slots,
            DomainMeters meters,
            Dictionary dictionary,
            PositionPoller poller,
            Orphans orphans,
            ReplicaLag lag) {
        this.policies = policies;
        this.slots = slots;
        this.meters = meters;
        this.dictionary = dictionary;
        this.poller = poller;
        this.orphans = orphans;
        this.lag = lag;
    }

    @Override
    public Object get() {
        Policy policy = policies.get();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("mode", policy.config.mode().name().toLowerCase(Locale.ROOT));
        view.put("guard", policy.config.guard().name().toLowerCase(Locale.ROOT));
        view.put("defaultDomain", slots.domain(DomainSlots.DEFAULT));
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
        view.put("standbys", lag.view());
        return view;
    }

    private static List<Object> rules(Policy policy) {
        List<Object> rows = new ArrayList<>();
        for (int rule = 0; rule < policy.rules.size(); rule++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", policy.rules.name(rule));
            row.put("domain", policy.rules.rule(rule).domain());
            row.put("matched", policy.rules.hits(rule));
            for (Outcome outcome : Outcome.values()) {
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
        state.put("tablesKnown", dictionary.catalog().size());
        state.put("tablesFollowed", policy.ownership.size());
        state.put("tableLimitReached", policy.ownership.full());
        state.put("writesInFlight", policy.ownership.inFlight());
        state.put("lostSessions", orphans.size());
        return state;
    }

    private List<Object> contested(Policy policy) {
        List<Object> rows = new ArrayList<>();
        for (TableOwnership.Contested table : policy.ownership.contested(MAX_CONTESTED)) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("table", table.table());
            Map<String, Object> writes = new LinkedHashMap<>();
            for (int slot = 0; slot < table.writesBySlot().size(); slot++) {
                if (table.writesBySlot().get(slot) > 0) {
                    writes.put(slots.label(slot), table.writesBySlot().get(slot));
                }
            }
            row.put("writesByDomain", writes);
            row.put("keptInDefault", table.unsteerable());
            rows.add(row);
        }
        return rows;
    }
}
