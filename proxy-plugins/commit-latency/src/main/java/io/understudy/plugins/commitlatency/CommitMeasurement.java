package io.understudy.plugins.commitlatency;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.Primary;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.plugins.binlog.WitnessState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** The work of {@link CommitLatencyPlugin} from its start to its stop: the worker and what it is fed by. */
final class CommitMeasurement implements PluginRun<CommitLatencyConfig> {
    private static final long WORK_MILLIS = 100;

    private final PluginContext context;
    private final CommitWorker worker;
    private final List<Future<?>> tasks = new ArrayList<>();
    private Runnable stopProbing = () -> {};
    /** Reads nothing if the primary cannot be queried. */
    private Supplier<BinlogSubscription> subscribing = () -> BinlogSubscription.NONE;

    private BinlogSubscription binlog = BinlogSubscription.NONE;
    private CommitLatencyConfig config;

    CommitMeasurement(PluginContext context, CommitLatencyConfig config, CommitWorker.JoinListener listener) {
        this.context = context;
        this.config = config;
        boolean probed = context.primary().dataSource() != null;
        worker = new CommitWorker(
                config,
                new CommitMeters(context),
                new AttributionState(config.attribution(), probed),
                context.clock(),
                System::nanoTime,
                probed,
                listener,
                WitnessState.of(context));
    }

    @Override
    public void start() {
        context.publish("commits", worker::view);
        ScheduledExecutorService executor = context.executor();
        tasks.add(executor.scheduleWithFixedDelay(worker, WORK_MILLIS, WORK_MILLIS, TimeUnit.MILLISECONDS));
        DataSource source = context.primary().dataSource();
        if (source != null) {
            probe(source);
            BinlogFeed feed = BinlogFeed.of(context);
            BinlogNeeds needs = new BinlogNeeds(CommitLatencyPlugin.ID, false, config.serverId(), worker::restNanos);
            subscribing = () -> feed.subscribe(needs, worker);
        }
        join();
    }

    private void probe(DataSource source) {
        Primary primary = context.primary();
        SemiSyncPoller poller = new SemiSyncPoller(
                source, primary::flavor, primary::isUnreachable, System::nanoTime, worker::sampled, worker::pinged);
        long millis = config.poll().toMillis();
        tasks.add(context.executor().scheduleWithFixedDelay(poller, 0, millis, TimeUnit.MILLISECONDS));
        stopProbing = poller::stop;
    }

    /** Reads the binary log if the attribution needs it. */
    private void join() {
        if (config.attribution().readsBinlog()) {
            binlog = subscribing.get();
        }
    }

    private void leave() {
        binlog.close();
        binlog = BinlogSubscription.NONE;
    }

    @Override
    public void reload(CommitLatencyConfig next) {
        CommitLatencyConfig old = config;
        CommitLatencyConfig comparable = new CommitLatencyConfig(
                old.attribution(), old.slow(), next.poll(), next.rows(), next.expire(), next.serverId());
        if (!comparable.equals(old)) {
            throw new IllegalArgumentException(
                    "only attribution and slow can change while the proxy runs; the other keys take effect after a"
                            + " restart");
        }
        config = next;
        worker.slow(next.slow().toNanos());
        if (next.attribution() != old.attribution()) {
            leave();
            worker.attribution(next.attribution());
            join();
        }
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new CommitObserver(session, worker);
    }

    @Override
    public void stop() {
        leave();
        stopProbing.run();
        tasks.forEach(task -> task.cancel(false));
        worker.finish();
    }
}
