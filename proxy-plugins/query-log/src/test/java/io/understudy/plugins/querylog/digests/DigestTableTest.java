package io.understudy.plugins.querylog.digests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.base.TimeBuckets;
import io.understudy.testkit.FakeExchange;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class DigestTableTest {
    private final DigestTable table = new DigestTable(64, Clock.systemUTC(), System::nanoTime);
    private final DigestKey probe = new DigestKey();

    private void record(DigestEntry entry, long nanos) {
        entry.record(table.threadNumber(), nanos, 0, 1, 0, 100, System.nanoTime(), "app", "shop");
    }

    @Test
    void aKnownDigestCostsNoAllocation() {
        FakeExchange query = FakeExchange.to("SELECT 1 FROM t");
        for (int i = 0; i < 50_000; i++) {
            record(table.of(query, probe), i);
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            record(table.of(query, probe), i);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes for 100,000 statements").isLessThan(10_000);
        assertThat(table.of(query, probe).count()).isEqualTo(150_000);
    }

    @Test
    void percentilesAreExactToWithinSixPerCent() {
        DigestEntry entry = table.of(FakeExchange.to("SELECT 2"), probe);
        for (int i = 1; i <= 10_000; i++) {
            record(entry, i * 10_000L);
        }
        assertThat((double) entry.percentileNanos(0.5)).isCloseTo(5e7, within(3e6));
        assertThat((double) entry.percentileNanos(0.99)).isCloseTo(9.9e7, within(6e6));
        assertThat(entry.maxNanos()).isEqualTo(100_000_000);
        assertThat(entry.percentileNanos(1)).isLessThanOrEqualTo(100_000_000);
    }

    @Test
    void bucketsCoverEveryTime() {
        int last = 0;
        for (long nanos = 1; nanos > 0 && nanos < Long.MAX_VALUE / 3; nanos = nanos * 17 / 16 + 1) {
            int bucket = TimeBuckets.of(nanos);
            assertThat(bucket).isBetween(last, TimeBuckets.COUNT - 1);
            last = bucket;
            if (nanos > 2_000 && nanos < 100_000_000_000L) {
                double exact = (double) nanos;
                assertThat((double) TimeBuckets.middle(bucket)).isCloseTo(exact, within(exact * 0.07));
            }
        }
        assertThat(TimeBuckets.of(0)).isZero();
        assertThat(last).isEqualTo(TimeBuckets.COUNT - 1);
    }

    @Test
    void aSmallerCapacityEvictsAndKeepsTheSums() {
        for (int i = 0; i < 40; i++) {
            record(table.of(FakeExchange.to("SELECT 1 AS a" + i), probe), 1000);
        }
        table.capacity(16);
        assertThat(table.all()).hasSize(16);
        assertThat(table.evicted()).isEqualTo(24);
        assertThat(table.evictedCount()).isEqualTo(24);
        assertThat(table.evictedNanos()).isEqualTo(24_000);
    }

    @Test
    void aTextIsShownOnceAServerUnderstoodIt() {
        DigestEntry entry = table.of(FakeExchange.to("SELECT `a\nb` FROM t"), probe);
        entry.record(0, 1, 1064, 0, 0, 0, 1, "app", null);
        assertThat(entry.text()).isNull();
        record(entry, 1);
        assertThat(entry.text()).asString().isEqualTo("SELECT `a b` FROM t");
    }

    @Test
    void threadsCountForThemselvesAndTheFiguresAddUp() throws Exception {
        DigestEntry entry = table.of(FakeExchange.to("SELECT 3"), probe);
        int threads = 10; // more than there are parts
        List<Thread> started = new ArrayList<>();
        Set<Integer> numbers = ConcurrentHashMap.newKeySet();
        for (int i = 1; i <= threads; i++) {
            long nanos = i * 1_000_000L;
            Thread thread = new Thread(() -> {
                numbers.add(table.threadNumber());
                for (int n = 0; n < 1000; n++) {
                    entry.record(table.threadNumber(), nanos, n % 100 == 0 ? 1205 : 0, 2, 3, 4, nanos, "app", "shop");
                }
            });
            started.add(thread);
            thread.start();
        }
        for (Thread thread : started) {
            thread.join();
        }
        assertThat(numbers).hasSize(threads);
        assertThat(entry.count()).isEqualTo(10_000);
        assertThat(entry.errors()).isEqualTo(100);
        assertThat(entry.rows()).isEqualTo(20_000);
        assertThat(entry.affectedRows()).isEqualTo(30_000);
        assertThat(entry.bytes()).isEqualTo(40_000);
        assertThat(entry.totalNanos()).isEqualTo(55_000_000_000L);
        assertThat(entry.maxNanos()).isEqualTo(10_000_000);
        assertThat((double) entry.percentileNanos(0.5)).isCloseTo(5e6, within(3e5));
    }
}
