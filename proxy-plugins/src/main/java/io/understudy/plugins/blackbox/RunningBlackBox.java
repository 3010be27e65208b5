package io.understudy.plugins.blackbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.Primary;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of {@link BlackBoxPlugin} from its start to its stop: what fills the black box, empties it and reports. */
final class RunningBlackBox implements PluginRun<BlackBoxConfig> {
    private static final Logger log = LoggerFactory.getLogger(RunningBlackBox.class);
    private static final long SIGHTINGS_MILLIS = 50;

    private static final String SILENT =
            "the primary does not respond, though the connection for its binary log is open: it may be frozen";

    private final BlackBox box;
    private final SessionEvents sessionEvents;
    private final List<Future<?>> tasks;
    private final BinlogSubscription binlog;

    RunningBlackBox(PluginContext context, BlackBoxConfig config) throws Exception {
        long limit = config.memory().bytes();
        box = new BlackBox(
                config.file() == null ? new Chunks.Heap() : FileChunks.open(config.file(), limit),
                limit,
                System::nanoTime);
        sessionEvents = new SessionEvents(box);
        meters(context);
        publish(context);
        long poll = config.poll().toMillis();
        tasks = List.of(
                repeat(context, sessionEvents, SIGHTINGS_MILLIS),
                repeat(context, new StandbyPositions(context, box), poll));
        // Bytes that arrive during a rest are safe in the kernel's buffers, even if the primary dies meanwhile.
        binlog = BinlogFeed.of(context)
                .subscribe(new BinlogNeeds(BlackBoxPlugin.ID, false, 0, BinlogDump.REST::toNanos, box), box);
    }

    private static Future<?> repeat(PluginContext context, Runnable task, long millis) {
        return context.executor().scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void meters(PluginContext context) {
        Gauge.builder("understudy.black.box.transactions", box, BlackBox::transactions)
                .description("Transactions kept because some standby has not applied them")
                .register(context.meters());
        Gauge.builder("understudy.black.box.bytes", box, BlackBox::bytes)
                .description("Bytes that the kept transactions take")
                .register(context.meters());
        FunctionCounter.builder("understudy.black.box.dropped", box, BlackBox::dropped)
                .description("Transactions dropped for want of room before every standby had applied them")
                .register(context.meters());
    }

    private void publish(PluginContext context) {
        Survivors survivors = new Survivors(context, box);
        LostReport report =
                new LostReport(box, sessionEvents, () -> silence(context.primary()), context.clock(), System::nanoTime);
        Rescue rescue = new Rescue(box);
        context.publish("lost", new SparingReport(() -> report.of(survivors.choose()), System::nanoTime));
        context.publishAction("lost", arguments -> report.of(survivors.fromArguments(arguments)));
        context.publishAction("lost/rescue", arguments -> {
            sessionEvents.run();
            return rescue.begin(survivors.fromArguments(arguments));
        });
        context.publishAction("lost/rescue/{number}", arguments -> {
            try {
                return rescue.part(Integer.parseInt(arguments.get(arguments.size() - 1)));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("the number of a rescue is wanted, not " + arguments, e);
            }
        });
    }

    /** The stream from a frozen primary stays open. */
    private static @Nullable String silence(Primary primary) {
        DataSource source = primary.dataSource();
        if (source == null) {
            return null;
        }
        try (Connection connection = source.getConnection()) {
            return connection.isValid(1) ? null : SILENT;
        } catch (SQLException e) {
            log.debug("black-box: the primary does not respond to a report", e);
            return SILENT;
        }
    }

    @Override
    public void reload(BlackBoxConfig next) {
        throw new IllegalArgumentException("no key can change while the proxy runs; they take effect after a restart");
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new BlackBoxObserver(session, sessionEvents);
    }

    @Override
    public void stop() {
        binlog.close();
        tasks.forEach(task -> task.cancel(false));
        box.close();
    }
}
