package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads the primary's binary log while the configuration wants it. Used by the proxy's management thread. */
final class LogReading {
    private final @Nullable BinlogFeed feed;
    private final BinlogNeeds needs;
    private final BinlogListener listener;
    private final Consumer<String> off;
    private @Nullable BinlogSubscription reading;

    /**
     * Reads nothing yet.
     *
     * @param restNanos see {@link BinlogNeeds}
     * @param off receives the reason when the log is not read
     */
    LogReading(PluginContext context, LongSupplier restNanos, BinlogListener listener, Consumer<String> off) {
        feed = context.primary().dataSource() == null ? null : BinlogFeed.of(context);
        needs = new BinlogNeeds("gtid-domain", true, 0, restNanos);
        this.listener = listener;
        this.off = off;
    }

    /** Called at the start and after a reload. */
    void reads(boolean wanted) {
        BinlogFeed from = feed;
        if (from == null) {
            off.accept("primary.monitor is not configured, so the binary log cannot be read");
        } else if (!wanted) {
            stop();
            off.accept("switched off by plugins.gtid-domain.binlog");
        } else if (reading == null) {
            reading = from.subscribe(needs, listener);
        }
    }

    void stop() {
        BinlogSubscription left = reading;
        reading = null;
        if (left != null) {
            left.close();
        }
    }
}
