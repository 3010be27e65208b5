package io.understudy.plugins.commitlatency;

import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Plugin {@code commit-latency}: measures the latency of each commit and the share of semi-synchronous replication in
 * it.
 */
public final class CommitLatencyPlugin implements ProxyPlugin<CommitLatencyConfig> {
    private static final long WORK_MILLIS = 100;

    private final Witness witness;
    private CommitLatencyConfig config = CommitLatencyConfig.defaults();
    private volatile @Nullable CommitWorker worker;
    private @Nullable BinlogFeed feed;
    private @Nullable BinlogSubscription binlog;
    private @Nullable SemiSyncPoller poller;
    private final List<ScheduledFuture<?>> tasks = new ArrayList<>();

    public CommitLatencyPlugin() {
        this((commit, event, parts) -> {});
    }

    /** @param witness called with every commit that was joined with its event */
    CommitLatencyPlugin(Witness witness) {
        this.witness = witness;
    }

    @Override
    public String id() {
        return "commit-latency";
    }

    @Override
    public Class<CommitLatencyConfig> configType() {
        return CommitLatencyConfig.class;
    }

    @Override
    public void start(PluginContext context, CommitLatencyConfig initial) {
        config = initial;
        DataSource source = context.primary().dataSource();
        AttributionState attribution = new AttributionState(initial.attribution(), source != null);
        CommitWorker started = new CommitWorker(
                initial,
                new CommitMeters(context),
                attribution,
                context.clock(),
                System::nanoTime,
                source != null,
                witness);
        worker = started;
        context.publish("commits", started::view);
        ScheduledExecutorService executor = context.executor();
        tasks.add(executor.scheduleWithFixedDelay(started, WORK_MILLIS, WORK_MILLIS, TimeUnit.MILLISECONDS));
        if (source == null) {
            return;
        }
        SemiSyncPoller semiSync =
                new SemiSyncPoller(source, context.primary()::flavor, System::nanoTime, started::sampled);
        poller = semiSync;
        tasks.add(executor.scheduleWithFixedDelay(semiSync, 0, initial.poll().toMillis(), TimeUnit.MILLISECONDS));
        feed = BinlogFeed.of(context);
        if (initial.attribution().readsBinlog()) {
            join(started);
        }
    }

    private void join(CommitWorker reader) {
        BinlogFeed from = feed;
        if (from != null) {
            binlog = from.subscribe(new BinlogNeeds(id(), false, config.serverId(), reader::restNanos), reader);
        }
    }

    private void leave() {
        BinlogSubscription reading = binlog;
        binlog = null;
        if (reading != null) {
            reading.close();
        }
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
        CommitWorker running = worker;
        if (running == null) {
            return;
        }
        running.slow(next.slow().toNanos());
        if (next.attribution() != old.attribution()) {
            leave();
            running.attribution(next.attribution());
            if (next.attribution().readsBinlog()) {
                join(running);
            }
        }
    }

    /** Commits are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        CommitWorker running = worker;
        return running == null ? SessionObserver.NONE : new CommitObserver(session, running);
    }

    @Override
    public void stop() {
        leave();
        SemiSyncPoller semiSync = poller;
        if (semiSync != null) {
            semiSync.stop();
        }
        tasks.forEach(task -> task.cancel(false));
        tasks.clear();
        CommitWorker last = worker;
        worker = null;
        if (last != null) {
            last.finish();
        }
    }
}
