package io.understudy.cli.defragment;

import io.understudy.rebuild.MirroredReads;
import io.understudy.remote.AdminClient;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Skips and boosts mirrored reads by the admin endpoint of the running proxy. Both are leases of a minute there, so
 * they are renewed, and end by themselves if this program dies. A proxy that was restarted has lost them; it is looked
 * up every second, and they begin anew.
 */
final class ProxyReads implements MirroredReads {
    private static final long RENEW_SECONDS = 20;
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(RENEW_SECONDS);
    private static final long LOOK_MILLIS = 1000;
    /** Two requests to a proxy that does not respond. */
    private static final long RENEWAL_SECONDS = 10;

    private final AdminClient proxy;
    private final String standby;
    private final Duration most;
    private final Consumer<String> log;
    private final ScheduledExecutorService renewing = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "lease-renewal");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable ScheduledFuture<?> renewal;
    private ColdPages before = ColdPages.UNKNOWN;

    /**
     * Creates skips and boosts for one standby.
     *
     * @param most the longest time that a table is boosted after its rebuild; zero for not at all
     * @param log takes lines for the operator, from any thread
     */
    ProxyReads(AdminClient proxy, String standby, Duration most, Consumer<String> log) {
        this.proxy = proxy;
        this.standby = standby;
        this.most = most;
        this.log = log;
    }

    @Override
    public String skip(String table) {
        before = ColdPages.UNKNOWN;
        String line;
        try {
            before = ColdPages.of(act("skip", table), "coldPages");
            line = table + ": its reads are not mirrored during the rebuild; cold pages a statement before: "
                    + before.shown();
        } catch (IOException | RuntimeException e) {
            line = table + ": its reads are mirrored during the rebuild, because the proxy does not skip them: "
                    + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
        // Also after a failure: the proxy may come back during the rebuild.
        renew("skip", table);
        return line;
    }

    private void renew(String what, String table) {
        Lease lease = new Lease(what, table);
        renewal = renewing.scheduleWithFixedDelay(lease::keep, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** A lease at the proxy. Used by the thread that renews. */
    private final class Lease {
        private final String what;
        private final String table;
        private long sentNanos = System.nanoTime();
        private boolean refused;

        Lease(String what, String table) {
            this.what = what;
            this.table = table;
        }

        void keep() {
            try {
                boolean lost = !runs();
                long now = System.nanoTime();
                boolean due = now - sentNanos >= RENEW_NANOS;
                if (due || lost && !refused) {
                    sentNanos = now;
                    refused = true;
                    act(what, table);
                    refused = false;
                    if (lost) {
                        log.accept(table + ": the proxy had no " + what + " of it (a restart?); it has begun anew");
                    }
                }
            } catch (IOException | RuntimeException e) {
                // The proxy may be stopped for a restart: the next call tries again.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Returns false if the proxy mirrors to the standby and has no such lease. */
        private boolean runs() throws IOException, InterruptedException {
            Map<?, ?> row = row(rows(proxy.view("mirror"), "standbys"), "standby", standby);
            if (row == null) {
                return true;
            }
            return what.equals("boost")
                    ? row(rows(row, "boostedTables"), "table", table) != null
                    : row.get("skippedTables") instanceof Map<?, ?> skipped
                            && skipped.containsKey(table.toLowerCase(Locale.ROOT));
        }
    }

    /** Ends the renewals. Waits for one that is under way, which would begin the lease anew. */
    private void renewNoMore() throws InterruptedException {
        ScheduledFuture<?> task = renewal;
        if (task == null) {
            return;
        }
        renewal = null;
        task.cancel(false);
        try {
            renewing.submit(() -> {}).get(RENEWAL_SECONDS, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            // A proxy that does not respond for so long has not renewed anything either.
        }
    }

    @Override
    public String again(String table) {
        try {
            renewNoMore();
            act("unskip", table);
            return table + ": its reads are mirrored again";
        } catch (IOException | RuntimeException e) {
            return table + ": a skip of its reads, if there is one, ends within a minute: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    @Override
    public Rewarmed rewarm(String table, Pause pause) throws InterruptedException {
        if (most.isZero()) {
            return Rewarmed.NOT;
        }
        try {
            act("boost", table);
        } catch (IOException | RuntimeException e) {
            return new Rewarmed(table + ": its reads are not mirrored in full: " + e.getMessage(), null);
        }
        renew("boost", table);
        Warming warming = new Warming(before, most, System::nanoTime);
        try {
            while (!warming.over() && !pause.stopped(LOOK_MILLIS)) {
                probe(table, warming);
            }
        } finally {
            renewNoMore();
            try {
                act("unboost", table);
            } catch (IOException | RuntimeException e) {
                // The lease ends by itself.
            }
        }
        return new Rewarmed(table + ": " + warming.line(), warming.figures());
    }

    private void probe(String table, Warming warming) throws InterruptedException {
        try {
            Map<?, ?> row = row(rows(proxy.view("mirror"), "standbys"), "standby", standby);
            Map<?, ?> boost = row == null ? null : row(rows(row, "boostedTables"), "table", table);
            if (boost != null) {
                warming.saw(boost);
            }
        } catch (IOException | RuntimeException e) {
            warming.missed(String.valueOf(e.getMessage()));
        }
    }

    private static List<?> rows(Map<?, ?> view, String key) {
        return view.get(key) instanceof List<?> rows ? rows : List.of();
    }

    private static @Nullable Map<?, ?> row(List<?> rows, String key, String value) {
        for (Object one : rows) {
            if (one instanceof Map<?, ?> row && value.equalsIgnoreCase(String.valueOf(row.get(key)))) {
                return row;
            }
        }
        return null;
    }

    private Map<String, Object> act(String what, String table) throws IOException, InterruptedException {
        return proxy.act("mirror/" + encoded(standby) + "/" + what + "/" + encoded(table));
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Follows one boost, from its beginning until the standby is warm for the table or the time is over. */
    static final class Warming {
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
            figures.put(
                    key + "Interval", pages.known() ? Arrays.asList(number(pages.low()), number(pages.high())) : null);
        }

        private static @Nullable Double number(double value) {
            return Double.isNaN(value) ? null : Math.round(value * 1e4) / 1e4;
        }
    }
}
