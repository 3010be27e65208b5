package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.admin.AdminEndpoints;
import io.understudy.admin.Readiness;
import io.understudy.admin.dashboard.EventWatch.RecentEvents;
import io.understudy.base.JsonWriter;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.PublishedStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the history and the event log, and feeds the viewers: every two seconds one frame, which is computed only while
 * somebody watches. A view that hangs delays frames, not samples.
 */
public final class Dashboard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Dashboard.class);

    private static final int TICK_SECONDS = 2;
    /** Views that are part of a frame if they exist and need no token. */
    private static final List<String> VIEWS =
            List.of("build", "primary", "standbys", "mirror", "commits", "witness", "domains", "steering", "hold");
    /** Longer views are not sent; the page asks for them where it shows them. */
    private static final int TOPIC_CHARS = 64 * 1024;

    private static final int EVENTS_SENT = 20;
    /** What is a reason to act for an hour after it happened, and history later. */
    private static final List<Series> LAST_HOUR =
            List.of(Series.REFUSED, Series.MIRRORED, Series.MIRROR_DROPPED, Series.MIRROR_FAILED, Series.CONFLICTS);

    private final AdminEndpoints endpoints;
    private final MeterRegistry registry;
    private final LatencyHistograms histograms;
    private final Readiness readiness;
    private final Clock clock;
    private final LongSupplier nanos;
    private final SampleHistory history = new SampleHistory();
    private final RecentEvents events = new RecentEvents();
    private final EventWatch watch = new EventWatch(events);
    private final Sampler live = new Sampler();
    private final Sampler stored = new Sampler();
    private final LiveFeed feed = new LiveFeed(this::frameSoon);
    private final AtomicBoolean frameDue = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor threads;
    private volatile Map<String, Object> now = Map.of();
    private long lastStored = Long.MIN_VALUE;

    Dashboard(
            AdminEndpoints endpoints,
            MeterRegistry registry,
            LatencyHistograms histograms,
            Readiness readiness,
            Clock clock,
            LongSupplier nanos) {
        this.endpoints = endpoints;
        this.registry = registry;
        this.histograms = histograms;
        this.readiness = readiness;
        this.clock = clock;
        this.nanos = nanos;
        threads = new ScheduledThreadPoolExecutor(2, task -> {
            Thread thread = new Thread(task, "dashboard");
            thread.setDaemon(true);
            return thread;
        });
        endpoints.view("overview", this::overview);
        endpoints.view("events", events::newestFirst);
        endpoints.viewOf(
                "history/{range}",
                parameters -> history.view(
                        parameters.getOrDefault("range", ""), clock.instant().getEpochSecond()));
        endpoints.publicStream("events", feed);
    }

    /** Starts sampling, and adds the dashboard's views to {@code endpoints}. */
    public static Dashboard start(
            AdminEndpoints endpoints, MeterRegistry registry, LatencyHistograms histograms, Readiness readiness) {
        Dashboard dashboard =
                new Dashboard(endpoints, registry, histograms, readiness, Clock.systemUTC(), System::nanoTime);
        dashboard.schedule();
        return dashboard;
    }

    private void schedule() {
        threads.scheduleAtFixedRate(guarded(this::tick), TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
        threads.scheduleWithFixedDelay(guarded(this::frame), TICK_SECONDS, TICK_SECONDS, TimeUnit.SECONDS);
    }

    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.warn("the dashboard's figures of this moment are missing", e);
            }
        };
    }

    /** Reads the meters once: for the frame, for the event log, and every ten seconds for the history. */
    void tick() {
        Meters meters = new Meters(registry, histograms);
        Instant instant = clock.instant();
        long second = instant.getEpochSecond();
        if (second / SampleHistory.STEP_SECONDS != lastStored) {
            lastStored = second / SampleHistory.STEP_SECONDS;
            history.add(second, stored.sample(meters, nanos.getAsLong()));
        }
        now = now(instant, live.sample(meters, nanos.getAsLong()));
        watch.check(meters, readiness.reasons(), instant);
    }

    private Map<String, Object> now(Instant instant, float[] sample) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Series series : Series.values()) {
            values.put(series.key(), SampleHistory.rounded(sample[series.ordinal()]));
        }
        Map<String, Object> lastHour = new LinkedHashMap<>();
        for (Series series : LAST_HOUR) {
            lastHour.put(series.key(), history.lastHour(series, instant.getEpochSecond()));
        }
        return Map.of("time", instant, "seconds", TICK_SECONDS, "values", values, "lastHour", lastHour);
    }

    private void frameSoon() {
        if (frameDue.compareAndSet(false, true)) {
            threads.execute(guarded(this::frame));
        }
    }

    /** Computes the frame for all viewers, if there are any. */
    void frame() {
        frameDue.set(false);
        if (!feed.isWatched()) {
            return;
        }
        Map<String, String> topics = new LinkedHashMap<>();
        overview().forEach((topic, value) -> {
            String json = JsonWriter.write(value);
            topics.put(topic, json.length() <= TOPIC_CHARS ? json : "{\"tooLong\":true}");
        });
        feed.publish(topics);
    }

    private Map<String, Object> overview() {
        Map<String, Object> topics = new LinkedHashMap<>();
        topics.put("now", now);
        List<String> reasons = readiness.reasons();
        topics.put(
                "ready",
                Map.of(
                        "status",
                        reasons.isEmpty() ? "ready" : "not ready",
                        "reasons",
                        reasons,
                        "warnings",
                        readiness.warnings()));
        topics.put("events", events.newestFirst().stream().limit(EVENTS_SENT).toList());
        for (String name : VIEWS) {
            Supplier<?> view = endpoints.publicView(name);
            if (view != null) {
                topics.put(name, value(name, view));
            }
        }
        return topics;
    }

    private static Object value(String name, Supplier<?> view) {
        try {
            return view.get();
        } catch (RuntimeException e) {
            LOG.debug("view {} failed", name, e);
            return Map.of("error", String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /**
     * The server-sent events of the dashboard. A topic is written once for all viewers. A viewer holds the newest text
     * of each topic that it has not taken; a newer one replaces it, so that a slow viewer misses frames and costs no
     * memory.
     */
    static final class LiveFeed implements PublishedStream {

        static final int VIEWERS = 16;

        private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
        private final AtomicInteger count = new AtomicInteger();
        private final Runnable opened;

        /** @param opened run when a viewer was added, so that it need not wait for the next frame; must be cheap */
        LiveFeed(Runnable opened) {
            this.opened = opened;
        }

        @Override
        public String contentType() {
            return "text/event-stream; charset=utf-8";
        }

        @Override
        public Reader open(Map<String, String> parameters, Runnable ready) {
            if (count.incrementAndGet() > VIEWERS) {
                count.decrementAndGet();
                throw new IllegalStateException(
                        "there are " + VIEWERS + " viewers already; ask /api/overview from time to time instead");
            }
            Viewer viewer = new Viewer(ready);
            viewers.add(viewer);
            opened.run();
            return viewer;
        }

        boolean isWatched() {
            return count.get() > 0;
        }

        /** Sends each viewer the topics that differ from what it has. */
        void publish(Map<String, String> topics) {
            Map<String, byte[]> events = new LinkedHashMap<>();
            topics.forEach((topic, json) -> events.put(
                    topic, ("event: " + topic + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8)));
            viewers.forEach(viewer -> viewer.offer(events));
        }

        private final class Viewer implements Reader {
            private final Runnable ready;
            private final Map<String, byte[]> newest = new LinkedHashMap<>();
            private final Map<String, byte[]> pending = new LinkedHashMap<>();
            private boolean closed;

            private Viewer(Runnable ready) {
                this.ready = ready;
            }

            private void offer(Map<String, byte[]> events) {
                synchronized (this) {
                    events.forEach((topic, event) -> {
                        if (!Arrays.equals(newest.put(topic, event), event)) {
                            pending.put(topic, event);
                        }
                    });
                }
                ready.run();
            }

            @Override
            public synchronized byte @Nullable [] take() {
                if (pending.isEmpty()) {
                    return null;
                }
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                pending.values().forEach(out::writeBytes);
                pending.clear();
                return out.toByteArray();
            }

            @Override
            public boolean ended() {
                return false;
            }

            @Override
            public void close() {
                synchronized (this) {
                    if (closed) {
                        return;
                    }
                    closed = true;
                }
                viewers.remove(this);
                count.decrementAndGet();
            }
        }
    }
}
