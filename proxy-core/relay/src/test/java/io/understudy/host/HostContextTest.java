package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.NameLookup;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryMonitor;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostContextTest {
    private final Published published = new Published();
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SharedInstances instances = new SharedInstances();
    private final MeterOwners owners = new MeterOwners(registry);

    @SuppressWarnings("NullAway") // null stands for a key that is not there, as in the binder
    private HostContext context(String plugin) {
        PrimaryConfig config = new PrimaryConfig(Address.parse("127.0.0.1:1"), null, null, null, null, null, null);
        BoundedScheduler never = new BoundedScheduler(1, 1, "never");
        PrimaryAddress address = new PrimaryAddress(config.address(), registry, Clock.systemUTC());
        PrimaryMonitor monitor = new PrimaryMonitor(
                address, config, null, NameLookup.RUNTIME, registry, never, never, Duration.ofSeconds(1));
        HostedPrimary primary = new HostedPrimary(
                null, address, monitor, HostedPrimary.noAccount(), HostedPrimary::noAccount, null, () -> null);
        return new HostContext(
                plugin,
                new HostContext.Shared(
                        registry, histograms, Clock.systemUTC(), primary, List.of(), published, instances, owners),
                () -> 0);
    }

    /** The buckets of a histogram are those that the plugin wants, in what is scraped. */
    @Test
    void aMeterHasAllThatItsBuilderWasGiven() {
        try (HostContext context = context("commits")) {
            DistributionSummary.builder("sizes").serviceLevelObjectives(1, 2, 4).register(context.meters());
            Timer.builder("times").serviceLevelObjectives(Duration.ofMillis(5)).register(context.meters());
            LongTaskTimer.builder("tasks").register(context.meters());
            assertThat(registry.get("sizes").summary().takeSnapshot().histogramCounts())
                    .extracting(bucket -> bucket.bucket())
                    .containsExactly(1.0, 2.0, 4.0);
            assertThat(registry.get("times").timer().takeSnapshot().histogramCounts())
                    .extracting(bucket -> bucket.bucket(TimeUnit.MILLISECONDS))
                    .containsExactly(5.0);
            assertThat(registry.get("tasks").longTaskTimer().activeTasks()).isZero();
        }
    }

    @Test
    void publishedViewsAndActionsWork() {
        try (HostContext context = context("mirror")) {
            context.publish("mirror", () -> Map.of("paused", false));
            context.publishAction("mirror/{name}/pause", parameters -> "paused " + parameters.get("name"));
            assertThat(Objects.requireNonNull(published.views().get("mirror")).get())
                    .isEqualTo(Map.of("paused", false));
            assertThat(Objects.requireNonNull(published.actions().get("mirror/{name}/pause"))
                            .run(Map.of("name", "s1")))
                    .isEqualTo("paused s1");
            assertThatThrownBy(() -> Objects.requireNonNull(published.actions().get("mirror/{name}/pause"))
                            .run(Map.of("x", "s2", "name", "s1")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("POST /api/mirror/{name}/pause has no parameter 'x'; it has [name]");
            assertThatThrownBy(() -> context("other").publish("mirror", () -> 1))
                    .hasMessageContaining("plugin other")
                    .hasMessageContaining("/api/mirror");
        }
    }

    /** As MultiGauge does, when a reload changes what the gauges are of. */
    @Test
    void aPluginReplacesItsOwnMeters() {
        try (HostContext context = context("mirror")) {
            MultiGauge rates = MultiGauge.builder("understudy.rates").register(context.meters());
            rates.register(List.of(MultiGauge.Row.of(Tags.of("rule", "a"), () -> 1)), true);
            rates.register(List.of(MultiGauge.Row.of(Tags.of("rule", "a"), () -> 2)), true);
            assertThat(registry.get("understudy.rates").gauge().value()).isEqualTo(2);
            rates.register(List.of(MultiGauge.Row.of(Tags.of("rule", "b"), () -> 3)), true);
            assertThat(registry.get("understudy.rates").gauges()).hasSize(1);
        }
    }

    @Test
    void nothingIsLeftOfARemovedPlugin() {
        HostContext context = context("mirror");
        Counter counter = Counter.builder("understudy.counted").tag("a", "b").register(context.meters());
        Gauge.builder("understudy.gauged", () -> 5).register(context.meters());
        context.latency("understudy_mirror_seconds", "Execution", "standby", "s1");
        context.publish("mirror", () -> 1);
        context.publish("digests", () -> 2, () -> 1);
        context.publishAction("mirror/pause", arguments -> 1);
        context.publishOfStandby("s1", "warmth", () -> 1);
        counter.increment();
        assertThat(registry.get("understudy.counted").tag("a", "b").counter().count())
                .isEqualTo(1);
        assertThat(registry.get("understudy.gauged").gauge().value()).isEqualTo(5);

        context.remove();
        Counter.builder("understudy.late").register(context.meters()).increment();
        assertThat(registry.find("understudy.counted").meters()).isEmpty();
        assertThat(registry.find("understudy.gauged").meters()).isEmpty();
        assertThat(registry.find("understudy.late").meters()).isEmpty();
        assertThat(histograms.all()).isEmpty();
        assertThat(published.views()).isEmpty();
        assertThat(published.sensitive()).isEmpty();
        assertThat(published.actions()).isEmpty();
        assertThat(published.ofStandby("s1")).isEmpty();
        assertThat(context.executor().isShutdown()).isTrue();
        // Its names are free again.
        try (HostContext next = context("mirror")) {
            next.publish("mirror", () -> 2);
        }
    }

    /** The first to leave would take the other's meter with it. */
    @Test
    void aMeterHasOneOwner() {
        Counter.builder("understudy.sessions.counted").register(registry);
        HostContext first = context("mirror");
        Counter.builder("understudy.counted").tag("a", "b").register(first.meters());
        first.latency("understudy_mirror_seconds", "Execution", "standby", "s1");
        first.latency("understudy_mirror_seconds", "Execution", "standby", "s1").record(1);
        try (HostContext second = context("other")) {
            assertThatThrownBy(() ->
                            Counter.builder("understudy.counted").tag("a", "b").register(second.meters()))
                    .hasMessageContaining("plugin other registers the meter")
                    .hasMessageContaining("which mirror has");
            assertThatThrownBy(() -> second.latency("understudy_mirror_seconds", "x", "standby", "s1"))
                    .hasMessageContaining("which mirror has");
            assertThatThrownBy(
                            () -> Counter.builder("understudy.sessions.counted").register(second.meters()))
                    .hasMessageContaining("which the proxy itself has");
            Counter.builder("understudy.counted").tag("a", "c").register(second.meters());
            second.remove();
            assertThat(registry.find("understudy.counted").counters()).hasSize(1);
            assertThat(registry.find("understudy.sessions.counted").counters()).hasSize(1);
            assertThat(histograms.all()).hasSize(1);
        }
        first.remove();
        HostContext third = context("third");
        Counter.builder("understudy.counted").tag("a", "b").register(third.meters());
        third.latency("understudy_mirror_seconds", "Execution", "standby", "s1");
        third.remove();
        assertThat(registry.find("understudy.counted").counters()).isEmpty();
    }

    /** It still ran when the plugin was stopped. */
    @Test
    void aTaskThatOutlivesItsPluginLeavesNothingBehind() {
        HostContext context = context("mirror");
        context.remove();
        assertThatThrownBy(() -> context.publish("mirror", () -> 1)).hasMessageContaining("mirror has stopped");
        assertThatThrownBy(() -> context.publish("mirror", () -> 1, () -> 1)).hasMessageContaining("stopped");
        assertThatThrownBy(() -> context.publishAction("mirror/pause", arguments -> 1))
                .hasMessageContaining("stopped");
        assertThatThrownBy(() -> context.publishOfStandby("s1", "warmth", () -> 1))
                .hasMessageContaining("stopped");
        context.latency("understudy_mirror_seconds", "Execution").record(1);
        Counter.builder("understudy.counted").register(context.meters());
        assertThat(published.views()).isEmpty();
        assertThat(published.sensitive()).isEmpty();
        assertThat(published.actions()).isEmpty();
        assertThat(published.ofStandby("s1")).isEmpty();
        assertThat(histograms.all()).isEmpty();
        HostContext next = context("mirror");
        Counter.builder("understudy.counted").register(next.meters());
        next.publish("mirror", () -> 2);
        next.remove();
    }

    @Test
    void latenciesAreRecordedInTheSharedHistograms() {
        try (HostContext context = context("mirror")) {
            context.latency("understudy_mirror_seconds", "Execution", "standby", "s1")
                    .record(2_000_000);
            assertThat(histograms.all()).hasSize(1);
            assertThat(histograms.all().get(0).histogram().count()).isEqualTo(1);
        }
    }

    @Test
    void aFullExecutorRefusesTasksAndKeepsPeriodicOnes() throws Exception {
        BoundedScheduler executor = new BoundedScheduler(1, 3, "test");
        try {
            AtomicInteger ticks = new AtomicInteger();
            executor.scheduleAtFixedRate(ticks::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
            Awaitility.await().until(() -> ticks.get() > 1);
            CountDownLatch hold = new CountDownLatch(1);
            CountDownLatch held = new CountDownLatch(1);
            executor.execute(() -> {
                held.countDown();
                try {
                    hold.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            held.await();
            executor.execute(() -> {});
            executor.execute(() -> {});
            assertThatThrownBy(() -> executor.execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("3 tasks");
            int before = ticks.get();
            hold.countDown();
            Awaitility.await().until(() -> ticks.get() > before + 3);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aPrimaryWithoutAnAccountReportsTheMissingKey() {
        try (HostContext context = context("commit-latency")) {
            assertThat(context.primary().flavor()).isEqualTo(ServerFlavor.MARIADB);
            assertThatThrownBy(() -> context.primary()
                            .connector()
                            .connect()
                            .toCompletableFuture()
                            .get())
                    .hasMessageContaining("primary.monitor");
        }
    }

    /** Such as the one that finds a standby promoted: without it the mirror would go on. */
    @Test
    void aPeriodicTaskThatThrowsIsRunAgain() throws Exception {
        CountDownLatch runs = new CountDownLatch(3);
        try (HostContext context = context("mirror")) {
            Runnable task = () -> {
                runs.countDown();
                throw new IllegalStateException("once and again");
            };
            context.executor().scheduleWithFixedDelay(task, 0, 1, TimeUnit.MILLISECONDS);
            assertThat(runs.await(10, TimeUnit.SECONDS)).isTrue();
            CountDownLatch atRate = new CountDownLatch(3);
            context.executor()
                    .scheduleAtFixedRate(
                            () -> {
                                atRate.countDown();
                                throw new AssertionError("an error");
                            },
                            0,
                            1,
                            TimeUnit.MILLISECONDS);
            assertThat(atRate.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
