package io.understudy.otlp;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.understudy.base.Durations;
import io.understudy.config.OtlpConfig;
import io.understudy.otlp.OtlpCollector.CollectorException;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes the metrics to a collector, on a thread of its own. Nothing is kept for a collector that cannot be reached:
 * the next push has the sums since the start, and so all that was counted meanwhile.
 */
public final class OtlpPush implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OtlpPush.class);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    /** For the last push, at the end of the process. */
    private static final Duration LAST = Duration.ofSeconds(1);

    /** A response without a word, as JSON. */
    private static final Pattern NOTHING = Pattern.compile("\\{\\s*(\"partialSuccess\"\\s*:\\s*(\\{\\s*}|null)\\s*)?}");

    private final OtlpConfig config;
    private final OtlpCollector collector;
    private final Supplier<MetricSnapshots> metrics;
    private final Supplier<Map<String, String>> resource;
    private final Clock clock;
    private final MeterRegistry meters;
    private final Counter pushed;
    private final Counter failed;
    private final ScheduledExecutorService thread;
    /** Pushes that failed since the last one that did not. Used by {@link #thread}, and after its end. */
    private volatile long failures;

    private boolean saidPartial;
    private volatile boolean closing;

    private OtlpPush(
            OtlpConfig config,
            Supplier<MetricSnapshots> metrics,
            Supplier<Map<String, String>> resource,
            MeterRegistry meters,
            Clock clock) {
        this.config = config;
        this.metrics = metrics;
        this.resource = resource;
        this.clock = clock;
        this.meters = meters;
        collector = new OtlpCollector(config);
        pushed = counter("ok");
        failed = counter("failed");
        thread = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("otlp-push", true)) {
            /** Not sooner: a push may be about to connect. */
            @Override
            protected void terminated() {
                if (!closing) {
                    collector.close();
                }
            }
        };
    }

    private Counter counter(String outcome) {
        return Counter.builder("understudy.otlp.pushes")
                .description("Pushes of the metrics to the collector of metrics.otlp")
                .tag("outcome", outcome)
                .register(meters);
    }

    /**
     * Starts to push, the first time at once.
     *
     * @param metrics what is pushed
     * @param resource attributes of the process that the configuration does not set, called for each push
     */
    public static OtlpPush start(
            OtlpConfig config,
            Supplier<MetricSnapshots> metrics,
            Supplier<Map<String, String>> resource,
            MeterRegistry meters,
            Clock clock) {
        OtlpPush push = new OtlpPush(config, metrics, resource, meters, clock);
        push.thread.scheduleWithFixedDelay(push::pushNow, 0, config.interval().toMillis(), TimeUnit.MILLISECONDS);
        return push;
    }

    private void pushNow() {
        Duration interval = config.interval();
        push(interval.compareTo(LONGEST) < 0 ? interval : LONGEST);
    }

    private void push(Duration timeout) {
        try {
            partly(collector.post(request(), timeout));
            succeeded();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (CollectorException e) {
            failed(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            // Otherwise the thread would never push again, and nobody would know.
            failed(e + "; report it", e);
        }
    }

    private byte[] request() {
        Map<String, String> attributes = new LinkedHashMap<>(resource.get());
        attributes.putAll(config.attributes());
        return OtlpRequest.of(
                metrics.get(), attributes, ManagementFactory.getRuntimeMXBean().getStartTime(), clock.millis());
    }

    private void succeeded() {
        pushed.increment();
        if (failures > 0) {
            log.info(
                    "metrics are pushed to {} again; {} pushes failed",
                    config.url().withoutQuery(),
                    failures);
            failures = 0;
        }
    }

    /** One line for an outage; {@code understudy_otlp_pushes_total} counts the others. */
    private void failed(String why, Throwable cause) {
        if (thread.isShutdown() && !thread.isTerminated()) {
            return; // interrupted, by a reload or the end
        }
        failed.increment();
        long before = failures;
        failures = before + 1; // one thread writes it
        if (before == 0) {
            log.warn(
                    "metrics cannot be pushed to {}: {}. {}",
                    config.url().withoutQuery(),
                    why,
                    thread.isTerminated()
                            ? "The process ends without another try"
                            : "Tried every " + Durations.format(config.interval())
                                    + " from now on; /metrics has them all the same");
        }
        log.debug("a push failed", cause);
    }

    private void partly(String said) {
        if (!said.isEmpty() && !saidPartial && !NOTHING.matcher(said).matches()) {
            saidPartial = true;
            log.warn(
                    "the collector {} does not take all metrics, or is none: its response has '{}'",
                    config.url().withoutQuery(),
                    said);
        }
    }

    /**
     * Ends the pushes without another one.
     *
     * @param forGood whether none follow, so that their counters go, too; those that follow count on
     */
    public void stop(boolean forGood) {
        thread.shutdownNow();
        if (forGood) {
            meters.remove(pushed);
            meters.remove(failed);
        }
    }

    /**
     * Ends the pushes. A collector that has not failed gets what was counted since the last push, within a second, also
     * if that push has not ended yet.
     */
    @Override
    public void close() {
        boolean idle = false;
        closing = true;
        thread.shutdownNow();
        try {
            idle = thread.awaitTermination(LAST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (idle && failures == 0) {
            push(LAST);
        }
        collector.close();
    }
}
