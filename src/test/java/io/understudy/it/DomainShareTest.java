package io.understudy.it;

import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.ThinkTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A benchmark: the share of writes that are tagged under a steady load on tables that begin in the default domain.
 * {@code understudy.domains.share} is the load's duration in seconds, {@code understudy.domains.rate} the writes a
 * second on each of two tables. Each session sends its next write when its time has come, however late the one before
 * was.
 */
@EnabledIfSystemProperty(named = "understudy.domains.share", matches = "\\d+")
@Timeout(300)
class DomainShareTest {
    private static final int SESSIONS = 8;
    private static final int TABLES = 2;
    private static final long SECONDS = Long.getLong("understudy.domains.share", 20);
    private static final long LEARN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double RATE = Long.getLong("understudy.domains.rate", 1_000);

    @Test
    void tablesAreHandedOverUnderASteadyLoad() throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(SESSIONS * TABLES);
        try (DomainPair pair = DomainPair.start()) {
            for (int table = 0; table < TABLES; table++) {
                pair.primary()
                        .execute(
                                "CREATE TABLE dom.t" + table + " (id INT PRIMARY KEY, v INT)",
                                "INSERT INTO dom.t" + table + " SELECT seq, 0 FROM dom.seq_1_to_1000");
            }
            pair.awaitCaughtUp();
            try (DomainProxy proxy = pair.proxy("""
                    mode: tag
                    guard: pin
                    learn: 5s
                    rules: [ { name: all, match: { table: [t0, t1] }, domain: 18 } ]
                    """)) {
                AtomicLong writes = new AtomicLong();
                List<Future<?>> load = new ArrayList<>();
                long begin = System.nanoTime();
                for (int session = 0; session < SESSIONS * TABLES; session++) {
                    int seed = session;
                    load.add(workers.submit(() -> {
                        write(proxy, seed, begin, writes);
                        return null;
                    }));
                }
                ThinkTime.pause(begin + LEARN_NANOS - System.nanoTime());
                long before = writes.get();
                double taggedBefore = proxy.count("tagged");
                for (Future<?> one : load) {
                    one.get();
                }
                long after = writes.get() - before;
                double tagged = proxy.count("tagged") - taggedBefore;
                System.err.printf(
                        "wanted %,.0f writes/s per table, had %,.0f; after learn tagged %.1f %% of %,d; %s handovers,"
                                + " %s probes%n",
                        RATE,
                        writes.get() / (double) SECONDS / TABLES,
                        100 * tagged / after,
                        after,
                        proxy.state("handovers"),
                        proxy.state("handoverProbes"));
                assertThat(proxy.conflicts()).isZero();
                assertThat(tagged).isPositive();
            }
        } finally {
            workers.shutdownNow();
        }
    }

    private static void write(DomainProxy proxy, int seed, long begin, AtomicLong writes) throws SQLException {
        Random random = new Random(seed);
        String table = "t" + seed % TABLES;
        double perNano = RATE / SESSIONS / TimeUnit.SECONDS.toNanos(1);
        long end = begin + TimeUnit.SECONDS.toNanos(SECONDS);
        try (Connection connection = proxy.connect("tagger")) {
            for (long next = System.nanoTime(); next < end; ) {
                ThinkTime.pause(Math.max(0, next - System.nanoTime()));
                run(connection, "UPDATE " + table + " SET v = v + 1 WHERE id = " + (1 + random.nextInt(1_000)));
                writes.incrementAndGet();
                next += (long) (-Math.log(1 - random.nextDouble()) / perNano);
                if (System.nanoTime() >= end) {
                    return;
                }
            }
        }
    }
}
