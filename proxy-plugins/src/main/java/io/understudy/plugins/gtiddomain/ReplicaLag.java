package io.understudy.plugins.gtiddomain;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far each standby is behind in each domain: in transactions by position, in seconds by when the primary was first
 * seen at the position that the standby has not reached. Updated by the poller; read by anyone.
 */
final class ReplicaLag {
    private static final int MAX_HISTORY = 1024;

    private record Seen(long nanos, GtidPosition primary) {}

    /** Figures of one standby in one domain; NaN while unknown. */
    static final class Figures {
        volatile double transactions = Double.NaN;
        volatile double seconds = Double.NaN;
    }

    private final MeterRegistry registry;
    private final DomainSlots slots;
    private final Map<String, List<Figures>> standbys = new LinkedHashMap<>();
    private final Deque<Seen> history = new ArrayDeque<>();

    ReplicaLag(MeterRegistry registry, DomainSlots slots, List<String> names) {
        this.registry = registry;
        this.slots = slots;
        names.forEach(name -> standbys.put(name, new ArrayList<>()));
        register();
    }

    /** Adds what is missing for domains that a reload has brought. */
    synchronized void register() {
        standbys.forEach((name, figures) -> {
            for (int slot = figures.size(); slot < slots.size(); slot++) {
                Figures one = new Figures();
                figures.add(one);
                Gauge.builder("understudy.domain.lag.transactions", one, f -> f.transactions)
                        .description("The primary's position minus the standby's")
                        .tag("standby", name)
                        .tag("domain", slots.label(slot))
                        .register(registry);
                Gauge.builder("understudy.domain.lag.seconds", one, f -> f.seconds)
                        .description("How long ago the primary reached what the standby has not applied yet")
                        .tag("standby", name)
                        .tag("domain", slots.label(slot))
                        .register(registry);
            }
        });
    }

    /** One look at everybody; a standby's position is null when it could not be had. */
    synchronized void update(long nanos, GtidPosition primary, Map<String, @Nullable GtidPosition> positions) {
        history.addLast(new Seen(nanos, primary));
        if (history.size() > MAX_HISTORY) {
            history.removeFirst();
        }
        standbys.forEach((name, figures) -> {
            GtidPosition position = positions.get(name);
            for (int slot = 0; slot < figures.size(); slot++) {
                Figures one = figures.get(slot);
                if (position == null) {
                    one.transactions = Double.NaN;
                    one.seconds = Double.NaN;
                } else {
                    long domain = slots.domain(slot);
                    one.transactions = Math.max(0, primary.sequence(domain) - position.sequence(domain));
                    one.seconds = secondsBehind(nanos, position, domain);
                }
            }
        });
        while (history.size() > 1 && everyStandbyCovers(history.peekFirst().primary(), positions)) {
            history.removeFirst();
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

    /** For the admin endpoint. */
    synchronized List<Map<String, Object>> view() {
        List<Map<String, Object>> all = new ArrayList<>();
        standbys.forEach((name, figures) -> {
            for (int slot = 0; slot < figures.size(); slot++) {
                Figures one = figures.get(slot);
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("standby", name);
                row.put("domain", slots.domain(slot));
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
