package io.understudy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The sample application under load: workers of user {@code app}, every other one with server-side prepared statements,
 * and one batch job of user {@code archiver}. Runs until closed. With the same options every worker issues the same
 * statements in the same order. Needs {@link DemoSchema}.
 */
public final class DemoLoad implements AutoCloseable {

    private static final Duration STOP = Duration.ofSeconds(10);

    /**
     * The amount of load. Built by {@link #to} and the {@code with} methods.
     *
     * @param url JDBC URL of the server or of a proxy before it, without user
     * @param workers connections of the application, at least 1
     * @param orders as given to {@link DemoSchema#create}
     * @param seed of all random choices
     * @param pause of each worker between two pieces of work
     * @param archivePause of the batch job between two batches
     * @param alterEvery pieces of work of the first worker between two schema changes; 0 for none
     * @param statementsPerWorker after which a worker ends by itself
     */
    public record Options(
            String url,
            int workers,
            int orders,
            long seed,
            Duration pause,
            Duration archivePause,
            int alterEvery,
            long statementsPerWorker) {

        public Options {
            if (workers < 1) {
                throw new IllegalArgumentException("workers: " + workers + ", must be at least 1");
            }
            if (orders < 1) {
                throw new IllegalArgumentException("orders: " + orders + ", must be at least 1");
            }
        }

        /** Eight workers with 2 ms of pause over the default data, a batch every 200 ms, without end. */
        public static Options to(String url) {
            return new Options(
                    url,
                    8,
                    DemoSchema.DEFAULT_ORDERS,
                    42,
                    Duration.ofMillis(2),
                    Duration.ofMillis(200),
                    2000,
                    Long.MAX_VALUE);
        }

        public Options withOrders(int value) {
            return new Options(url, workers, value, seed, pause, archivePause, alterEvery, statementsPerWorker);
        }

        public Options withAlterEvery(int value) {
            return new Options(url, workers, orders, seed, pause, archivePause, value, statementsPerWorker);
        }
    }

    private final LoadCounters counters = new LoadCounters();
    private final List<LoadSession> workers = new ArrayList<>();
    private final Sessions threads;

    private DemoLoad(Options options) {
        SplittableRandom seeds = new SplittableRandom(options.seed());
        Zipfian orders = Zipfian.of(options.orders(), 0);
        Zipfian customers = Zipfian.of(DemoSchema.customers(options.orders()), 0);
        for (int i = 0; i < options.workers(); i++) {
            boolean prepared = i % 2 == 1;
            int alterEvery = i == 0 ? options.alterEvery() : 0;
            workers.add(new LoadSession(
                    options.url(),
                    DemoSchema.APP_USER,
                    DemoSchema.APP_PASSWORD,
                    prepared,
                    new ShopScript(i, prepared, alterEvery, orders, customers, seeds.split()),
                    counters,
                    options.pause(),
                    options.statementsPerWorker()));
        }
        workers.add(new LoadSession(
                options.url(),
                DemoSchema.ARCHIVE_USER,
                DemoSchema.ARCHIVE_PASSWORD,
                false,
                new ArchiveScript(options.orders()),
                counters,
                options.archivePause(),
                options.statementsPerWorker()));
        threads = Sessions.start(
                "demo-load",
                workers.size(),
                (load, number) -> workers.get(number).run(load));
    }

    /** Starts all workers and returns at once. Errors are counted, and broken connections are opened again. */
    public static DemoLoad start(Options options) {
        return new DemoLoad(options);
    }

    public LoadCounters counters() {
        return counters;
    }

    /** Waits for workers that have a limit; returns false if some still run after {@code timeout}. */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return threads.awaitEnd(timeout);
    }

    /** Ends all workers, each after the piece of work it is in; those that hang lose their connection. */
    @Override
    public void close() {
        threads.end();
        try {
            if (!awaitEnd(STOP)) {
                workers.forEach(LoadSession::abort);
                awaitEnd(STOP);
            }
        } catch (InterruptedException e) {
            workers.forEach(LoadSession::abort);
            Thread.currentThread().interrupt();
        }
    }
}
