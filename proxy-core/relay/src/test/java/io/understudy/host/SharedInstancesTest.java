package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.NameLookup;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.PluginContext;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryMonitor;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedInstancesTest {
    private final SharedInstances instances = new SharedInstances();
    private final Published published = new Published();
    private final HostContext.Shared shared = shared();
    private final AtomicInteger made = new AtomicInteger();
    private final List<String> closed = new ArrayList<>();

    @SuppressWarnings("NullAway") // null stands for a key that is not there, as in the binder
    private HostContext.Shared shared() {
        PrimaryConfig config = new PrimaryConfig(Address.parse("127.0.0.1:1"), null, null, null, null, null, null);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        BoundedScheduler never = new BoundedScheduler(1, 1, "never");
        PrimaryAddress address = new PrimaryAddress(config.address(), registry, Clock.systemUTC());
        PrimaryMonitor monitor = new PrimaryMonitor(
                address, config, null, NameLookup.RUNTIME, registry, never, never, Duration.ofSeconds(1));
        HostedPrimary primary = new HostedPrimary(
                null, address, monitor, HostedPrimary.noAccount(), HostedPrimary::noAccount, null, () -> null);
        return new HostContext.Shared(
                registry,
                new LatencyHistograms(),
                Clock.systemUTC(),
                primary,
                List.of(),
                published,
                instances,
                new MeterOwners(registry));
    }

    /** A shared instance. */
    private final class Thing implements AutoCloseable {
        private final int number = made.incrementAndGet();
        private final PluginContext context;

        private Thing(PluginContext context) {
            this.context = context;
        }

        String thread() throws Exception {
            return context.executor()
                    .submit(() -> Thread.currentThread().getName())
                    .get();
        }

        @Override
        public void close() throws Exception {
            closed.add("thing " + number);
            if (number == 13) {
                throw new IllegalStateException("unlucky");
            }
        }
    }

    private final class Other implements AutoCloseable {
        @Override
        public void close() {
            closed.add("other");
        }
    }

    private HostContext plugin(String id) {
        return new HostContext(id, shared, () -> 0);
    }

    @Test
    void livesFromTheFirstRequestToTheLastStop() throws Exception {
        HostContext first = plugin("first");
        HostContext second = plugin("second");
        Thing thing = first.shared(Thing.class, Thing::new);
        assertThat(second.shared(Thing.class, Thing::new)).isSameAs(thing);
        assertThat(first.shared(Thing.class, Thing::new)).isSameAs(thing);

        first.close();
        assertThat(closed).isEmpty();
        assertThat(thing.thread())
                .as("works on without the plugin that made it")
                .startsWith("shared-Thing");
        assertThatThrownBy(() -> first.executor().execute(() -> {})).isInstanceOf(RejectedExecutionException.class);

        second.close();
        assertThat(closed).containsExactly("thing 1");
        assertThatThrownBy(thing::thread).isInstanceOf(RejectedExecutionException.class);

        try (HostContext third = plugin("third")) {
            assertThat(third.shared(Thing.class, Thing::new)).isNotSameAs(thing);
        }
        assertThat(closed).containsExactly("thing 1", "thing 2");
    }

    @Test
    void eachTypeIsSharedIndependently() {
        HostContext first = plugin("first");
        HostContext second = plugin("second");
        first.shared(Thing.class, Thing::new);
        first.shared(Other.class, own -> new Other());
        second.shared(Thing.class, Thing::new);
        first.close();
        assertThat(closed).containsExactly("other");
        second.close();
        assertThat(closed).containsExactly("other", "thing 1");
    }

    @Test
    void anInstanceThatCannotBeCreatedIsNotKept() {
        try (HostContext plugin = plugin("first")) {
            assertThatThrownBy(() -> plugin.shared(Thing.class, own -> {
                        own.publish("things", () -> 1);
                        throw new IllegalArgumentException("no account");
                    }))
                    .hasMessage("no account");
            assertThat(published.views()).as("of what was not kept").isEmpty();
            assertThat(plugin.shared(Thing.class, Thing::new).number).isEqualTo(1);
        }
    }

    @Test
    void anInstanceThatFailsToCloseIsRemoved() {
        made.set(12);
        HostContext plugin = plugin("first");
        plugin.shared(Thing.class, Thing::new);
        plugin.close();
        try (HostContext next = plugin("second")) {
            assertThat(next.shared(Thing.class, Thing::new).number).isEqualTo(14);
        }
    }

    @Test
    void aStoppedPluginIsRefused() {
        HostContext plugin = plugin("commit-latency");
        plugin.close();
        assertThatThrownBy(() -> plugin.shared(Thing.class, Thing::new))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("commit-latency has stopped");
        assertThat(made).hasValue(0);
    }

    @Test
    void concurrentRequestsGetTheSameInstance() throws Exception {
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<HostContext> plugins = new ArrayList<>();
        List<Future<Thing>> tasks = new ArrayList<>();
        try {
            for (int i = 0; i < threads; i++) {
                HostContext plugin = plugin("p" + i);
                plugins.add(plugin);
                Callable<Thing> task = () -> {
                    go.await();
                    return plugin.shared(Thing.class, Thing::new);
                };
                tasks.add(executor.submit(task));
            }
            go.countDown();
            Set<Thing> things = new HashSet<>();
            for (Future<Thing> future : tasks) {
                things.add(future.get());
            }
            assertThat(things).hasSize(1);
        } finally {
            plugins.forEach(HostContext::close);
            executor.shutdownNow();
        }
        assertThat(closed).containsExactly("thing 1");
    }
}
