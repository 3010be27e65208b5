package io.understudy.steering;

import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.server.QueryPool;
import io.understudy.steering.parallelism.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The advice of some time: reads the primary's binary log from now on, and probes the standbys. */
public final class LiveAdvice implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;

    private final Workload workload;
    private final @Nullable GtidDomainConfig rules;
    private final Stalls stalls;
    private final List<QueryPool> pools = new ArrayList<>();
    private final List<StandbyWatch> watches = new ArrayList<>();
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final LiveBinlog log;

    /**
     * Begins to read and to probe.
     *
     * @param workload receives the transactions
     * @throws IOException if no account is configured
     */
    public LiveAdvice(UnderstudyConfig servers, @Nullable GtidDomainConfig rules, Workload workload)
            throws IOException {
        this.workload = workload;
        this.rules = rules;
        stalls = new Stalls(servers.standbys().stream().map(StandbyConfig::name).toList());
        log = new LiveBinlog(servers.primary(), workload, stalls::logged);
        for (StandbyConfig standby : servers.standbys()) {
            QueryPool pool = QueryPool.to(standby);
            pools.add(pool);
            watches.add(new StandbyWatch(standby.name(), pool.dataSource(), stalls, System::nanoTime));
        }
        executor.scheduleWithFixedDelay(() -> poll(StandbyWatch::poll), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Probes the standbys of a MariaDB primary; MySQL's know few of the queries, and no advice is about them. */
    private void poll(Consumer<StandbyWatch> each) {
        if (log.reads() && !workload.ofMySql()) {
            watches.forEach(each);
        }
    }

    /** Returns whether what is committed now will be read. */
    public boolean reads() {
        return log.reads();
    }

    /** See {@link LiveBinlog#await}; returns at once when the primary turns out to be a MySQL server. */
    public void await(Duration length) throws IOException, InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        log.awaitBegin(length);
        if (!workload.ofMySql()) {
            log.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    /** Probes once more and returns what is known now. */
    public Map<String, Object> view() throws InterruptedException {
        try {
            executor.submit(() -> poll(watch -> watch.poll(true))).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // a watch keeps its failures to itself
        }
        List<StandbyFacts> standbys = watches.stream().map(StandbyWatch::facts).toList();
        // Simulates the last transactions only; measured stalls cover the whole log.
        return SteeringAdvice.of(workload, standbys, stalls.all(), rules, workload.added());
    }

    @Override
    public void close() {
        log.close();
        executor.shutdownNow();
        pools.forEach(QueryPool::close);
    }
}
