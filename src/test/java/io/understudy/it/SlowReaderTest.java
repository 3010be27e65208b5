package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that does not read: the server has to wait, and the proxy's memory does not grow. */
@Tag("long")
class SlowReaderTest {
    private static final long MIB = 1 << 20;
    private static final long ROWS = 1024;
    private static final long VALUE = MIB;

    @Test
    void aGigabyteForASlowReaderPassesASmallHeap() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyProcess proxy = ProxyProcess.start(server.address(), "-Xmx128m", "-XX:MaxDirectMemorySize=128m");
                RawClient client = RawClient.open(proxy.address(), 64 * 1024)) {
            client.login(server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN);
            client.query("SELECT REPEAT('x', " + VALUE + ") FROM seq_1_to_" + ROWS);
            // The buffers of the kernel and the proxy fill up; then nothing moves any more.
            AtomicLong last = new AtomicLong(-1);
            await().pollInterval(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> {
                        long now = proxy.figures().bytesRelayed();
                        return now > MIB / 4 && last.getAndSet(now) == now;
                    });
            // The kernel holds 4 MiB of this. A freshly started, slow proxy must not read ahead either.
            assertThat(last.get()).as("relayed while nobody reads").isLessThan(8 * MIB);
            for (int i = 0; i < 20; i++) {
                assertThat(client.skip(MIB)).isEqualTo(MIB);
            }
            long skipped = 20 * MIB;
            // Column count, one column definition, EOF, rows of value and 4 bytes of length, EOF; each packet with a
            // header of 4 bytes.
            long rest = client.skip(ROWS * (VALUE + 8) + 5 - skipped);
            assertThat(rest).isEqualTo(ROWS * (VALUE + 8) + 5 - skipped);
            ProxyProcess.Figures figures = proxy.figures();
            assertThat(figures.direct()).as("direct memory").isLessThan(64 * MIB);
            assertThat(figures.heapPeak()).as("peak of the heap").isLessThan(128 * MIB);
            assertThat(proxy.isAlive()).isTrue();
            assertThat(figures.bytesRelayed()).isGreaterThan(ROWS * VALUE);
        }
    }
}
