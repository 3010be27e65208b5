package io.understudy.plugins.gtiddomain.progress;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lag of each standby in each domain: in transactions by position, in seconds by the time at which the primary was
 * first seen at the position that the standby has not reached. Updated by the poller; read by any thread.
 */
public final class ReplicaLag {
    private static final int MAX_HISTORY = 1024;

    private record Seen(long nanos, GtidPosition primary) {}

    /** Figures of one standby in one domain; NaN while unknown. */
    static final class Figures {
        volatile double transactions = Double.NaN;
        volatile double seconds = Double.NaN;
    }

    private final MeterRegistry registry;
    private final DomainIndexes indexes;
    private final Map<String, List<Figures>> standbys = new LinkedHashMap<>();
    private final Deque<Seen> history = new ArrayDeque<>();

    public ReplicaLag(MeterRegistry registry, DomainIndexes indexes, List<String> names) {
        this.registry = registry;
        this.indexes = indexes;
        names.forEach(name -> standbys.put(name, new ArrayList<>()));
        register();
    }

    /** Adds figures for the domains that a reload has added. */
    public synchronized void register() {
        standbys.forEach((name, figures) -> {
            for (int index = figures.size(); index < indexes.size(); index++) {
                Figures one = new Figures();
                figures.add(one);
                Gauge.builder("understudy.domain.lag.transactions", one, f -> f.transactions)
                        .description("The primary's position minus the standby's")
                        .tag("standby", name)
                        .tag("domain", indexes.label(index))
                        .register(registry);
                Gauge.builder("understudy.domain.lag.seconds", one, f -> f.seconds)
                        .description("How long ago the primary reached what the standby has not applied yet")
                        .tag("standby", name)
                        .tag("domain", indexes.label(index))
                        .register(registry);
            }
        });
    }

    /** Updates all figures after a probe; a standby's position is null if the query failed. */
    public synchronized void update(long nanos, GtidPosition primary, Map<String, @Nullable GtidPosition> positions) {
        if (!history.isEmpty() && !primary.covers(history.peekLast().primary())) {
            // What a failover lost, no standby will ever apply.
            List<Seen> seen = List.copyOf(history);
            history.clear();
            seen.forEach(each ->
                    history.addLast(new Seen(each.nanos(), GtidPosition.common(List.of(each.primary(), primary)))));
        }
        history.addLast(new Seen(nanos, primary));
        if (history.size() > MAX_HISTORY) {
            thinOut();
        }
        standbys.forEach((name, figures) -> {
            GtidPosition position = positions.get(name);
            for (int index = 0; index < figures.size(); index++) {
                Figures one = figures.get(index);
                if (position == null) {
                    one.transactions = Double.NaN;
                    one.seconds = Double.NaN;
                } else {
                    long domain = indexes.domain(index);
                    one.transactions = Math.max(0, primary.sequence(domain) - position.sequence(domain));
                    one.seconds = secondsBehind(nanos, position, domain);
                }
            }
        });
        while (history.size() > 1 && everyStandbyCovers(history.peekFirst().primary(), positions)) {
            history.removeFirst();
        }
    }

    /** Drops every second position, so that the oldest stays: ages become less exact, not smaller. */
    private void thinOut() {
        boolean drops = false;
        for (Iterator<Seen> seen = history.iterator(); seen.hasNext(); drops = !drops) {
            seen.next();
            if (drops) {
                seen.remove();
            }
        }
    }

    private double secondsBehind(long nanos, GtidPosition position, long domain) {
        for (Seen seen : history) {
            if (!position.covers(seen.primary(), domain)) {
                return (nanos - seen.nanos()) / 1e9;
            }
        }
        return 0;
    }

    private boolean everyStandbyCovers(GtidPosition primary, Map<String, @Nullable GtidPosition> positions) {
        for (String name : standbys.keySet()) {
            GtidPosition position = positions.get(name);
            if (position == null || !position.covers(primary)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the figures for the admin endpoint. */
    public synchronized List<Map<String, Object>> view() {
        List<Map<String, Object>> all = new ArrayList<>();
        standbys.forEach((name, figures) -> {
            for (int index = 0; index < figures.size(); index++) {
                Figures one = figures.get(index);
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("standby", name);
                row.put("domain", indexes.domain(index));
                row.put("known", !Double.isNaN(one.transactions));
                if (!Double.isNaN(one.transactions)) {
                    row.put("lagTransactions", (long) one.transactions);
                    row.put("lagSeconds", one.seconds);
                }
                all.add(row);
            }
        });
        return all;
    }
}
