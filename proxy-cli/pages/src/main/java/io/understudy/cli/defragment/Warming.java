package io.understudy.cli.defragment;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Follows one boost, from its beginning until the standby is warm for the table or the time is over. */
final class Warming {
    /** A boost that takes no read of the table in this time will hardly take one later. */
    private static final Duration UNREAD = Duration.ofSeconds(10);

    private final ColdPages before;
    private final Duration most;
    private final LongSupplier nanos;
    private final long begunNanos;
    private ColdPages first = ColdPages.UNKNOWN;
    private ColdPages last = ColdPages.UNKNOWN;
    private ColdPages primary = ColdPages.UNKNOWN;
    private double target = Double.NaN;
    private long statements;
    private String missed = "";
    private String end = "ended";

    /**
     * @param before how cold the table's reads were before its rebuild
     * @param most the longest time
     * @param nanos a monotonic clock
     */
    Warming(ColdPages before, Duration most, LongSupplier nanos) {
        this.before = before;
        this.most = most;
        this.nanos = nanos;
        this.begunNanos = nanos.getAsLong();
    }

    /** Takes in a row of {@code boostedTables}. */
    void saw(Map<?, ?> boost) {
        missed = "";
        statements = boost.get("statements") instanceof Number number ? number.longValue() : 0;
        target = boost.get("target") instanceof Number number ? number.doubleValue() : Double.NaN;
        primary = ColdPages.of(boost, "floorPages");
        last = ColdPages.of(boost, "coldPages");
        if (!first.known()) {
            first = last;
        }
    }

    void missed(String why) {
        missed = why;
    }

    /** Returns whether the boost is to end, and keeps the reason. */
    boolean over() {
        long passed = nanos.getAsLong() - begunNanos;
        if (last.mean() <= before.mean()) {
            end = "as warm as before";
        } else if (last.mean() <= primary.mean() + target) {
            end = "as warm as the primary";
        } else if (passed >= most.toNanos()) {
            end = missed.isEmpty() ? "the time was over" : missed;
        } else if (statements == 0 && missed.isEmpty() && passed >= UNREAD.toNanos()) {
            end = "none of its reads came to be mirrored";
        } else {
            return false;
        }
        return true;
    }

    private double seconds() {
        return (nanos.getAsLong() - begunNanos) / 1e9;
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "cold pages a statement: %s before, %s right after, %s after %.0f s with %,d reads mirrored in"
                        + " full: %s; the primary's: %s%s",
                before.shown(),
                first.shown(),
                last.shown(),
                seconds(),
                statements,
                end,
                primary.shown(),
                primary.known() ? excess() : "");
    }

    private String excess() {
        return String.format(
                Locale.ROOT,
                "; excess over the primary: %s before, %s right after, %s now",
                before.minus(primary).shown(),
                first.minus(primary).shown(),
                last.minus(primary).shown());
    }

    Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        put(figures, "coldBefore", before);
        put(figures, "coldAfter", first);
        put(figures, "coldWarmed", last);
        put(figures, "primary", primary);
        put(figures, "excessBefore", before.minus(primary));
        put(figures, "excessAfter", first.minus(primary));
        put(figures, "excessWarmed", last.minus(primary));
        figures.put("boostSeconds", number(seconds()));
        figures.put("boostStatements", statements);
        figures.put("end", end);
        return figures;
    }

    private static void put(Map<String, @Nullable Object> figures, String key, ColdPages pages) {
        figures.put(key, number(pages.mean()));
        figures.put(key + "Interval", pages.known() ? Arrays.asList(number(pages.low()), number(pages.high())) : null);
    }

    private static @Nullable Double number(double value) {
        return Double.isNaN(value) ? null : Math.round(value * 1e4) / 1e4;
    }
}
