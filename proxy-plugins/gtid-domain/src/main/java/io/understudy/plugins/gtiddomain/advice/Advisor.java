package io.understudy.plugins.gtiddomain.advice;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The advice of a running proxy: of the last ten minutes. Thread-safe. */
public final class Advisor implements BinlogListener, Runnable {
    private static final long COVERS_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** The simulations take some hundredths of a second, and a dashboard asks every second. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Workload workload;
    private final LongSupplier nanos;
    private final Stalls stalls;
    private final List<StandbyWatch> watches;
    private final Supplier<RulesInForce> rules;
    private final TransactionCount count = new TransactionCount();
    private volatile String state = "not started";
    private volatile boolean reading;
    private volatile boolean ofMySql;

    private @Nullable Map<String, Object> last;
    private long lastNanos;

    /**
     * The advice of a plugin.
     *
     * @param workload receives the log's transactions from this object
     * @param rules returns those that there are already
     */
    public Advisor(PluginContext context, Workload workload, Supplier<RulesInForce> rules, LongSupplier nanos) {
        this.workload = workload;
        this.rules = rules;
        this.nanos = nanos;
        stalls = new Stalls(context.standbys().stream().map(Standby::name).toList());
        watches = context.standbys().stream()
                .map(standby -> new StandbyWatch(standby.name(), standby.dataSource(), stalls, nanos, COVERS_NANOS))
                .toList();
    }

    @Override
    public void onStart(PrimaryFacts facts, boolean replaced) {
        reading = facts.flavor() == ServerFlavor.MARIADB;
        ofMySql = !reading;
        state = reading ? "" : SteeringAdvice.MYSQL;
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        off(trouble.message());
    }

    /** Called when the log is not read, with the reason. */
    public void off(String why) {
        reading = false;
        ofMySql = false;
        state = why;
        stalls.gap();
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        Workload.Entry entry = workload.add(transaction);
        count.add(entry.arrivedNanos());
        if (reading) {
            stalls.logged(entry);
        }
    }

    /** Probes the standbys. */
    @Override
    public void run() {
        if (!reading) {
            return;
        }
        watches.forEach(StandbyWatch::poll);
    }

    /** Returns the advice, at most two seconds old. */
    public synchronized Map<String, Object> view() {
        Map<String, Object> present = last;
        long now = nanos.getAsLong();
        if (present == null || now - lastNanos >= FRESH_NANOS || !state.equals(present.get("problem"))) {
            present = new LinkedHashMap<>();
            present.put("problem", state);
            present.putAll(advice(now));
            last = present;
            lastNanos = now;
        }
        return present;
    }

    private Map<String, Object> advice(long now) {
        if (workload.ofMySql() || ofMySql) {
            return SteeringAdvice.ofMySql();
        }
        List<Workload.Entry> entries = workload.entries().stream()
                .filter(entry -> now - entry.arrivedNanos() <= COVERS_NANOS)
                .toList();
        return SteeringAdvice.of(
                entries,
                watches.stream().map(StandbyWatch::facts).toList(),
                stalls.since(now - COVERS_NANOS),
                workload.cost(),
                rules.get(),
                count.since(now - COVERS_NANOS));
    }
}
