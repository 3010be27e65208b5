package io.understudy.report;

import io.understudy.config.StandbyConfig;
import io.understudy.plugins.gtiddomain.advice.Stalls;
import io.understudy.plugins.gtiddomain.advice.StandbyFacts;
import io.understudy.plugins.gtiddomain.advice.StandbyWatch;
import io.understudy.server.QueryPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Probes the standbys of a configuration while the primary's binary log is read. */
public final class StandbyProbing implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;

    private final List<QueryPool> pools = new ArrayList<>();
    private final List<StandbyWatch> watches = new ArrayList<>();
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

    /** Begins to probe. */
    public StandbyProbing(List<StandbyConfig> standbys, Stalls stalls) {
        for (StandbyConfig standby : standbys) {
            QueryPool pool = QueryPool.to(standby);
            pools.add(pool);
            watches.add(new StandbyWatch(standby.name(), pool.dataSource(), stalls, System::nanoTime, Long.MAX_VALUE));
        }
        executor.scheduleWithFixedDelay(() -> poll(false), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void poll(boolean all) {
        for (StandbyWatch watch : watches) {
            if (all) {
                watch.poll(true);
            } else {
                watch.poll();
            }
        }
    }

    /** Probes once more and returns what is known. */
    public List<StandbyFacts> facts() throws InterruptedException {
        executor.shutdown();
        if (executor.awaitTermination(EVERY_MILLIS * 100, TimeUnit.MILLISECONDS)) {
            poll(true);
        }
        return watches.stream().map(StandbyWatch::facts).toList();
    }

    @Override
    public void close() {
        executor.shutdownNow();
        pools.forEach(QueryPool::close);
    }
}
