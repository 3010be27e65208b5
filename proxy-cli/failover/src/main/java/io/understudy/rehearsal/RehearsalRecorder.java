package io.understudy.rehearsal;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.rehearsal.Readings.Figures;
import io.understudy.rehearsal.Readings.Sample;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the proxy's figures once a second and keeps those of the last minute in which the primary responded, so that a
 * change of the primary can be compared with the time before it, however long the outage was. Serves
 * {@code /api/failover}. Thread-safe.
 */
public final class RehearsalRecorder {
    private static final Logger log = LoggerFactory.getLogger(RehearsalRecorder.class);
    private static final int SAMPLES = 60;
    /** Figures of kinds and digests are larger, and are kept every ten seconds. */
    private static final int FIGURES_EVERY = 10;

    private static final int FIGURES = SAMPLES / FIGURES_EVERY + 1;
    private static final long WINDOW_MILLIS = SAMPLES * 1_000L;
    private static final int CHANGES = 10;

    private final Readings readings;
    private final Clock clock;
    /** The newest last; guarded by this, as is the rest. */
    private final Deque<Sample> samples = new ArrayDeque<>();

    private final Deque<Figures> figures = new ArrayDeque<>();
    private final Deque<Change> changes = new ArrayDeque<>();
    /** The newest reading, which {@link #samples} leaves out during an outage. */
    private @Nullable Sample last;

    /** The first reading of an outage that lasts; null while the primary responds. */
    private @Nullable Sample trouble;

    private @Nullable String since;
    private String address = "";
    private int ticks;

    /**
     * @param primary content of {@code /api/primary}
     * @param digests content of {@code /api/digests}; null without the plugin {@code query-log}
     */
    public RehearsalRecorder(
            Supplier<Map<String, Object>> primary,
            LatencyHistograms histograms,
            MeterRegistry meters,
            Supplier<@Nullable Object> digests,
            Clock clock) {
        readings = new Readings(primary, histograms, meters, digests);
        this.clock = clock;
    }

    /** Starts to read. */
    public void start(ScheduledExecutorService executor) {
        executor.scheduleWithFixedDelay(this::read, 0, 1, TimeUnit.SECONDS);
    }

    private void read() {
        try {
            tick();
        } catch (RuntimeException e) {
            log.warn("the figures for report failover could not be read", e);
        }
    }

    /** Takes one reading. */
    synchronized void tick() {
        Map<String, Object> primary = readings.primary();
        String begun = String.valueOf(primary.get("since"));
        String present = String.valueOf(primary.get("address"));
        long now = clock.millis();
        Sample sample = readings.sample(now, Boolean.TRUE.equals(primary.get("reachable")));
        Sample before = last;
        boolean changed = since != null && !begun.equals(since);
        boolean due = ticks++ % FIGURES_EVERY == 0;
        if (!changed && before != null) {
            changes.forEach(change -> change.add(before, sample));
        }
        if (changed || due) {
            Figures read = readings.figures(now);
            if (changed) {
                changed(present, String.valueOf(primary.get("reason")), Instant.parse(begun), sample, read);
            }
            changes.forEach(change -> change.figures(read));
            if (due && sample.reachable()) {
                keep(figures, read, FIGURES);
            }
        }
        if (sample.reachable()) {
            trouble = null;
            keep(samples, sample, SAMPLES);
            forgetBefore(now - WINDOW_MILLIS);
        } else if (trouble == null) {
            trouble = sample;
        }
        last = sample;
        since = begun;
        address = present;
    }

    private static <T> void keep(Deque<T> all, T newest, int most) {
        all.addLast(newest);
        if (all.size() > most) {
            all.removeFirst();
        }
    }

    /** Forgets what an outage has kept: its length would count as time without load. */
    private void forgetBefore(long millis) {
        samples.removeIf(each -> each.atMillis() < millis);
        figures.removeIf(each -> each.atMillis() < millis - FIGURES_EVERY * 1_000L);
    }

    private void changed(String to, String reason, Instant at, Sample now, Figures atChange) {
        changes.forEach(Change::end);
        Sample begin = trouble;
        // The last reading before the trouble: what failed since then belongs to the change.
        Sample well = samples.peekLast();
        long until = well == null ? now.atMillis() : well.atMillis();
        Sample oldest = samples.peekFirst();
        Steadiness steadiness = well == null || oldest == null
                ? new Steadiness(now.commandsSince(now), 0)
                : new Steadiness(well.commandsSince(oldest), well.atMillis() - oldest.atMillis());
        Change change = new Change(
                address,
                to,
                reason,
                at,
                begin == null ? null : begin.atMillis(),
                figures.peekFirst(),
                newestUntil(until),
                atChange,
                steadiness);
        if (well != null) {
            change.failed(now.failuresSince(well));
        }
        keep(changes, change, CHANGES);
        trouble = null;
    }

    private @Nullable Figures newestUntil(long millis) {
        Figures newest = null;
        for (Figures each : figures) {
            if (each.atMillis() <= millis) {
                newest = each;
            }
        }
        return newest;
    }

    /**
     * Returns the changes since the start of the proxy, the newest first.
     *
     * @param texts whether the normalised texts of digests are shown
     */
    public synchronized Map<String, Object> view(boolean texts) {
        if (!changes.isEmpty()) {
            Figures read = readings.figures(clock.millis());
            changes.forEach(change -> change.figures(read));
        }
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        Iterator<Change> newestFirst = changes.descendingIterator();
        while (newestFirst.hasNext()) {
            rows.add(newestFirst.next().view(texts));
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("primary", address);
        view.put("changes", rows);
        return view;
    }
}
