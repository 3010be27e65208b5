package io.understudy.plugins.blackbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plugin {@code black-box}: retains the transactions that standbys have not applied yet, and reports those that a new
 * primary lacks.
 */
public final class BlackBoxPlugin implements ProxyPlugin<BlackBoxConfig> {
    private static final Logger log = LoggerFactory.getLogger(BlackBoxPlugin.class);
    private static final long SIGHTINGS_MILLIS = 50;

    private static final String SILENT =
            "the primary does not respond, though the connection for its binary log is open: it may be frozen";

    private final List<ScheduledFuture<?>> tasks = new ArrayList<>();
    private @Nullable BlackBoxConfig config;
    private @Nullable BlackBox box;
    private @Nullable BinlogSubscription binlog;
    private volatile @Nullable SessionEvents sessionEvents;

    @Override
    public String id() {
        return "black-box";
    }

    @Override
    public Class<BlackBoxConfig> configType() {
        return BlackBoxConfig.class;
    }

    @Override
    public void start(PluginContext context, BlackBoxConfig initial) throws Exception {
        if (context.primary().dataSource() == null) {
            throw new IllegalArgumentException(
                    "black-box reads the primary's binary log and needs an account for that: add"
                            + " primary.monitor with user and password, and GRANT REPLICATION SLAVE ON *.* to it");
        }
        if (context.standbys().isEmpty()) {
            log.warn(
                    "black-box: no standbys are configured, so nothing is ever known to be applied: the last {} of"
                            + " the binary"
                            + " log are kept",
                    initial.memory());
        }
        config = initial;
        long limit = initial.memory().bytes();
        BlackBox started = new BlackBox(
                initial.file() == null ? new Chunks.Heap() : FileChunks.open(initial.file(), limit),
                limit,
                System::nanoTime);
        box = started;
        SessionEvents seen = new SessionEvents(started);
        sessionEvents = seen;
        meters(context, started);
        publish(context, started, seen);
        tasks.add(context.executor()
                .scheduleWithFixedDelay(seen, SIGHTINGS_MILLIS, SIGHTINGS_MILLIS, TimeUnit.MILLISECONDS));
        long poll = initial.poll().toMillis();
        tasks.add(context.executor()
                .scheduleWithFixedDelay(new StandbyPositions(context, started), poll, poll, TimeUnit.MILLISECONDS));
        // Bytes that arrive during a rest are safe in the kernel's buffers, even if the primary dies meanwhile.
        binlog = BinlogFeed.of(context)
                .subscribe(new BinlogNeeds(id(), false, 0, BinlogDump.REST::toNanos, started), started);
    }

    private static void meters(PluginContext context, BlackBox box) {
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

    private static void publish(PluginContext context, BlackBox box, SessionEvents seen) {
        Survivors survivors = new Survivors(context, box);
        LostReport report =
                new LostReport(box, seen, () -> silence(context.primary()), context.clock(), System::nanoTime);
        Rescue rescue = new Rescue(box);
        context.publish("lost", new SparingReport(() -> report.of(survivors.choose()), System::nanoTime));
        context.publishAction("lost", arguments -> report.of(survivors.fromArguments(arguments)));
        context.publishAction("lost/rescue", arguments -> {
            seen.run();
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
        if (config != null && !config.equals(next)) {
            throw new IllegalArgumentException(
                    "no key can change while the proxy runs; they take effect after a restart");
        }
    }

    /** Responses are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        SessionEvents to = sessionEvents;
        return to == null ? SessionObserver.NONE : new BlackBoxObserver(session, to);
    }

    @Override
    public void stop() {
        BinlogSubscription reading = binlog;
        binlog = null;
        if (reading != null) {
            reading.close();
        }
        tasks.forEach(task -> task.cancel(false));
        tasks.clear();
        sessionEvents = null;
        BlackBox ended = box;
        box = null;
        if (ended != null) {
            ended.close();
        }
    }
}
