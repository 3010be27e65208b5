package io.understudy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.protocol.CommandCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What event loops count each for themselves is read as one figure. */
class RelayCountsTest {
    private static final int THREADS = 4;
    private static final int TIMES = 20_000;
    private static final int UNKNOWN_CODES = 2;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final CoreMetrics metrics = new CoreMetrics(meters, new LatencyHistograms(), CommandCode::name);

    private static void onThreads(Runnable task) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(task);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private LatencyHistogram seconds(String kind) {
        return metrics.histograms().series("understudy_command_seconds", "", "kind", kind);
    }

    private double count(String name, String tag, String value) {
        return meters.get(name).tag(tag, value).functionCounter().count();
    }

    @Test
    void countsOfAllThreadsAreOneMeter() throws InterruptedException {
        metrics.setKinds(List.of("select", "other", "select"));
        onThreads(() -> {
            RelayCounts own = metrics.relayCounts();
            for (int i = 0; i < TIMES; i++) {
                own.command(CommandCode.QUERY, 0, 1_000_000);
                own.command(0x7B, 1, 2_000_000);
                own.command(0x7C, 2, 3_000_000);
                own.bytesFromClient(3);
                own.bytesFromServer(5);
            }
        });
        assertThat(seconds("select").sumNanos()).isEqualTo(4_000_000L * THREADS * TIMES);
        assertThat(seconds("other").count()).isEqualTo(THREADS * TIMES);
        assertThat(count("understudy.commands", "command", "query")).isEqualTo(THREADS * TIMES);
        assertThat(count("understudy.commands", "command", "unknown")).isEqualTo(THREADS * TIMES * UNKNOWN_CODES);
        assertThat(count("understudy.commands", "command", "ping")).isZero();
        assertThat(count("understudy.bytes", "direction", "from_client")).isEqualTo(3.0 * THREADS * TIMES);
        assertThat(count("understudy.bytes", "direction", "from_server")).isEqualTo(5.0 * THREADS * TIMES);
    }

    @Test
    void aThreadHasOneSetOfCounts() {
        assertThat(metrics.relayCounts()).isSameAs(metrics.relayCounts());
    }

    @Test
    void theOverheadIsMeasuredOnceAMillisecond() {
        RelayCounts own = metrics.relayCounts();
        long first = System.nanoTime();
        assertThat(own.beginsMeasurement(first)).as("the first read").isTrue();
        assertThat(own.beginsMeasurement(first + 999_999)).isFalse();
        assertThat(own.beginsMeasurement(first + 1_000_000)).isTrue();
        assertThat(own.beginsMeasurement(first + 1_999_999)).isFalse();
    }

    @Test
    void recordersAndSharedWritesAreOneHistogram() throws InterruptedException {
        LatencyHistogram histogram = new LatencyHistogram();
        onThreads(() -> {
            LatencyHistogram.Recorder own = histogram.recorder();
            for (int i = 0; i < TIMES; i++) {
                own.record(60_000);
            }
        });
        histogram.record(3_000_000);
        histogram.recorder().record(-1);
        long all = (long) THREADS * TIMES + 2;
        assertThat(histogram.count()).isEqualTo(all);
        assertThat(histogram.sumNanos()).isEqualTo(60_000L * THREADS * TIMES + 3_000_000);
        long[] upToEdges = histogram.cumulative();
        assertThat(upToEdges[0]).as("up to 50 µs").isEqualTo(1);
        assertThat(upToEdges[1]).as("up to 100 µs").isEqualTo(all - 1);
        assertThat(upToEdges[upToEdges.length - 1]).isEqualTo(all);
        long[] reading = LatencyHistogram.noCounts();
        histogram.addTo(reading);
        assertThat(LatencyHistogram.percentile(reading, 0.5)).isEqualTo(61_000);
        assertThat(histogram.percentile(1)).isEqualTo(3_100_000);
    }
}
