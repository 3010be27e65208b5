package io.understudy.plugins.querylog.stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugin.PublishedStream;
import io.understudy.sql.LiteralHash;
import io.understudy.sql.Literals;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The readers of {@code GET /slowlog}. Thread-safe. */
public final class SlowLogStream implements PublishedStream {
    private final CopyOnWriteArrayList<StreamReader> readers = new CopyOnWriteArrayList<>();
    private final MeterRegistry registry;
    private final Counter queued;
    private final Counter dropped;
    private final Map<String, Counter> skipped = new ConcurrentHashMap<>();
    private final LiteralHash hash = LiteralHash.withRandomKey();
    private volatile StreamConfig config;
    private volatile boolean active;
    private boolean stopped;

    public SlowLogStream(StreamConfig config, MeterRegistry registry) {
        this.config = config;
        this.registry = registry;
        queued = counter("queued");
        dropped = counter("dropped");
        Gauge.builder("understudy.slowlog.readers", readers, List::size)
                .description("Readers of the slow-log stream now")
                .register(registry);
    }

    /** Applies to readers that connect later; whether values are shown, to all of them. */
    public synchronized void config(StreamConfig next) {
        boolean otherValues = next.literals() != config.literals();
        config = next;
        if (otherValues) {
            // Readers that were promised one thing must not get another in the middle.
            readers.forEach(StreamReader::end);
        }
    }

    @Override
    public String contentType() {
        return "text/plain; charset=utf-8";
    }

    @Override
    public synchronized Reader open(Map<String, String> parameters, Runnable ready) {
        StreamConfig now = config;
        ReaderFilter filter = new ReaderFilter(parameters, now.rules());
        if (stopped || readers.size() >= now.readers()) {
            throw new IllegalStateException(
                    stopped
                            ? "the proxy is stopping"
                            : "there are " + now.readers()
                                    + " readers already; plugins.query-log.readers allows no more");
        }
        EventWriter writer = new EventWriter(now.literals(), hash, filter.rateLimit());
        StreamReader reader = new StreamReader(this, filter, writer, now, ready);
        readers.add(reader);
        active = true;
        return reader;
    }

    synchronized void remove(StreamReader reader) {
        readers.remove(reader);
        active = !readers.isEmpty();
    }

    /** Ends all streams. */
    public synchronized void stop() {
        stopped = true;
        readers.forEach(StreamReader::end);
    }

    private Counter counter(String outcome) {
        return Counter.builder("understudy.slowlog.events")
                .description("Events of the slow-log stream, for each reader")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts an event for a reader. */
    void count(boolean fits) {
        (fits ? queued : dropped).increment();
    }

    /** @param reason from a bounded set */
    void skipped(String reason) {
        skipped.computeIfAbsent(reason, why -> counter("skipped_" + why)).increment();
    }

    /** Returns whether anybody reads. */
    public boolean active() {
        return active;
    }

    Literals literals() {
        return config.literals();
    }

    /** Queues the event for the readers that requested it, and adds them to {@code takers}. */
    void offer(StatementEvent event, List<StreamReader> takers) {
        for (StreamReader reader : readers) {
            if (reader.offer(event) && !takers.contains(reader)) {
                takers.add(reader);
            }
        }
        if (takers.size() > readers.size()) {
            takers.retainAll(readers);
        }
    }

    /** Queues the end of a session for the readers that got some of its statements. */
    void sessionEnded(StatementEvent event, List<StreamReader> takers) {
        List<StreamReader> left = new ArrayList<>(takers);
        left.retainAll(readers);
        left.forEach(reader -> reader.add(event));
    }
}
