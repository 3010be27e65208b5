package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PluginMetersTest {
    private final CountDownLatch registers = new CountDownLatch(1);
    private final CountDownLatch mayRegister = new CountDownLatch(1);
    /** The process's registry; the registration of a counter takes until it is allowed to end. */
    private final SimpleMeterRegistry process = new SimpleMeterRegistry() {
        @Override
        protected Counter newCounter(Meter.Id id) {
            registers.countDown();
            try {
                mayRegister.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return super.newCounter(id);
        }
    };

    private final MeterOwners owners = new MeterOwners(process);

    /** The process would keep the meter, and the plugin's next start would find it taken by the proxy itself. */
    @Test
    void aMeterThatATaskRegistersDuringTheRemovalGoesToo() throws Exception {
        PluginMeters meters = new PluginMeters(process, "mirror", owners);
        Thread task = new Thread(() -> meters.counter("understudy.late"));
        task.start();
        registers.await();
        Thread removal = new Thread(meters::removeAll);
        removal.start();
        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        Set.of(Thread.State.BLOCKED, Thread.State.TERMINATED).contains(removal.getState()));
        mayRegister.countDown();
        task.join();
        removal.join();
        assertThat(process.getMeters()).isEmpty();
        new PluginMeters(process, "mirror", owners).counter("understudy.late").increment();
        assertThat(process.getMeters()).hasSize(1);
    }
}
