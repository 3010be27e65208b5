package io.understudy.admin.dashboard;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last 24 hours in steps of ten seconds: a ring of {@value #SLOTS} samples of every {@link Series}, four bytes each
 * (0.9 MB in all, allocated at the start). Times without a sample are NaN. Thread-safe.
 */
final class SampleHistory {

    static final int STEP_SECONDS = 10;
    static final int SLOTS = 24 * 60 * 60 / STEP_SECONDS;
    private static final int HOUR_SLOTS = 60 * 60 / STEP_SECONDS;

    private static final MathContext DIGITS = new MathContext(4);

    /** A range that callers may request: its length in samples, and the samples that one point summarizes. */
    private record Range(int slots, int slotsPerPoint) {}

    private static final Map<String, Range> RANGES = ranges();

    private final float[][] values = new float[Series.values().length][SLOTS];
    /** Number of the newest sample's slot since the epoch, or -1. */
    private long newest = -1;

    private static Map<String, Range> ranges() {
        Map<String, Range> ranges = new LinkedHashMap<>();
        ranges.put("15m", new Range(90, 1));
        ranges.put("1h", new Range(360, 1));
        ranges.put("6h", new Range(2_160, 6));
        ranges.put("24h", new Range(SLOTS, 18));
        return ranges;
    }

    SampleHistory() {
        for (float[] series : values) {
            Arrays.fill(series, Float.NaN);
        }
    }

    /** Stores a sample; slots since the last one become unknown. A sample from before the newest one is ignored. */
    synchronized void add(long epochSecond, float[] sample) {
        long slot = epochSecond / STEP_SECONDS;
        if (slot < newest) {
            return;
        }
        for (long skipped = Math.max(newest + 1, slot - SLOTS + 1); newest >= 0 && skipped < slot; skipped++) {
            for (float[] series : values) {
                series[(int) (skipped % SLOTS)] = Float.NaN;
            }
        }
        for (int i = 0; i < values.length; i++) {
            values[i][(int) (slot % SLOTS)] = sample[i];
        }
        newest = slot;
    }

    /**
     * Returns the points of a range, oldest first: {@code from} and {@code step} in seconds, and the values by key,
     * null where unknown.
     *
     * @throws IllegalArgumentException if there is no such range
     */
    synchronized Map<String, Object> view(String name, long nowEpochSecond) {
        Range range = RANGES.get(name);
        if (range == null) {
            throw new IllegalArgumentException(
                    "there is no range '" + name + "'; use one of " + List.copyOf(RANGES.keySet()));
        }
        int per = range.slotsPerPoint();
        int points = range.slots() / per;
        // Points begin at multiples of their length, so that a value does not change as the range moves on.
        long end = (nowEpochSecond / STEP_SECONDS / per + 1) * per;
        long begin = end - (long) points * per;
        Map<String, Object> series = new LinkedHashMap<>();
        for (Series one : Series.values()) {
            Float[] folded = new Float[points];
            for (int i = 0; i < points; i++) {
                folded[i] = fold(one, begin + (long) i * per, per);
            }
            series.put(one.key(), folded);
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("range", name);
        view.put("from", begin * STEP_SECONDS);
        view.put("step", per * STEP_SECONDS);
        view.put("series", series);
        return view;
    }

    /**
     * Returns how much a rate's counter has counted in the last hour, rounded; NaN if no sample of that time knows it.
     * A count that is not 0 is at least 1.
     */
    synchronized float lastHour(Series series, long nowEpochSecond) {
        long end = Math.min(newest, nowEpochSecond / STEP_SECONDS);
        double sum = Double.NaN;
        for (long slot = Math.max(0, Math.max(nowEpochSecond / STEP_SECONDS - HOUR_SLOTS, newest - SLOTS) + 1);
                slot <= end;
                slot++) {
            float value = values[series.ordinal()][(int) (slot % SLOTS)];
            if (!Float.isNaN(value)) {
                sum = (Double.isNaN(sum) ? 0 : sum) + (double) value * STEP_SECONDS;
            }
        }
        return sum > 0 && sum < 1 ? 1 : Double.isNaN(sum) ? Float.NaN : (float) Math.round(sum);
    }

    private Float fold(Series series, long begin, int count) {
        double result = Double.NaN;
        int known = 0;
        for (long slot = begin; slot < begin + count; slot++) {
            if (slot < 0 || slot > newest || slot <= newest - SLOTS) {
                continue;
            }
            float value = values[series.ordinal()][(int) (slot % SLOTS)];
            if (Float.isNaN(value)) {
                continue;
            }
            known++;
            if (known == 1) {
                result = value;
            } else {
                result = switch (series.fold()) {
                    case MEAN -> result + value;
                    case MIN -> Math.min(result, value);
                    case MAX -> Math.max(result, value);
                };
            }
        }
        if (series.fold() == Series.Fold.MEAN && known > 1) {
            result /= known;
        }
        return rounded(result);
    }

    /** Returns four digits: a chart shows no more, and the response is half as long. */
    static Float rounded(double value) {
        return Double.isFinite(value)
                ? (float) new BigDecimal(value).round(DIGITS).doubleValue()
                : Float.NaN;
    }
}
