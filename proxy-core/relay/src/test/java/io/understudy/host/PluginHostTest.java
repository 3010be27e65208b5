package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.NotApplied;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeSession;
import io.understudy.testkit.Fakes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plugins that come and go by reloads, some of them with faults. */
@Timeout(60)
class PluginHostTest {
    /**
     * A plugin's section of the file.
     *
     * @param number differs between two versions of a file
     */
    public record Section(int number) {}

    private static final List<String> EVENTS = new CopyOnWriteArrayList<>();

    /** Notes what it is told. */
    public static class Noting implements ProxyPlugin<Section> {
        private final String id;

        public Noting() {
            this("noting");
        }

        Noting(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public Class<Section> configType() {
            return Section.class;
        }

        @Override
        public void start(PluginContext context, Section config) {
            EVENTS.add(id + " started");
        }

        @Override
        public void reload(Section config) {
            EVENTS.add(id + " reloaded");
        }

        @Override
        public SessionObserver openSession(SessionContext session) {
            return SessionObserver.NONE;
        }

        @Override
        public void stop() {
            EVENTS.add(id + " stopped");
        }
    }

    /** Fails with errors that are no exceptions. */
    private static final class Faulty extends Noting {
        Faulty() {
            super("faulty");
        }

        @Override
        public void reload(Section config) {
            throw new AssertionError("an assertion of the plugin");
        }

        @Override
        public void stop() {
            throw new NoClassDefFoundError("a class of the plugin");
        }
    }

    private final List<String> removed = new ArrayList<>();
    private CompletableFuture<Void> left = CompletableFuture.completedFuture(null);
    private final PluginHost host = new PluginHost(
            new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name),
            Duration.ofMillis(50));

    private final class Around implements PluginHost.Surroundings {
        @Override
        public PluginContext context(String plugin) {
            return Fakes.of(PluginContext.class, Map.of());
        }

        @Override
        public CompletableFuture<Void> leave(Collection<String> plugins) {
            return left;
        }

        @Override
        public void removed(String plugin) {
            removed.add(plugin);
        }
    }

    private void start(Map<String, Record> configs) throws PluginStartException {
        EVENTS.clear();
        host.start(Map.of("noting", new Noting(), "faulty", new Faulty()), configs, new Around());
    }

    private NotApplied reload(Map<String, Record> configs) {
        NotApplied left = new NotApplied();
        host.reload(configs, left);
        return left;
    }

    @Test
    void aPluginIsNotStoppedWhileASessionMayCallIt() throws Exception {
        start(Map.of("noting", new Section(1)));
        left = new CompletableFuture<>();
        assertThat(reload(Map.of()).waits()).singleElement().asString().contains("noting", "have not left");
        assertThat(EVENTS).containsExactly("noting started");
        assertThat(host.configs()).isEmpty();

        // Its successor would meet what it has published.
        assertThat(reload(Map.of("noting", new Section(1))).failed())
                .singleElement()
                .asString()
                .contains("reload again");
        left.complete(null);
        await().until(() -> removed.contains("noting"));
        assertThat(EVENTS).containsExactly("noting started", "noting stopped");
        assertThat(reload(Map.of("noting", new Section(1)))).isEqualTo(new NotApplied());
        assertThat(EVENTS).containsExactly("noting started", "noting stopped", "noting started");
    }

    @Test
    void theProxysEndStopsWhatStillDeparts() throws Exception {
        start(Map.of("noting", new Section(1)));
        left = new CompletableFuture<>();
        reload(Map.of());
        host.stop();
        left.complete(null);
        assertThat(EVENTS).containsExactly("noting started", "noting stopped");
    }

    @Test
    void anErrorOfOnePluginLeavesNoOtherWithoutAnOwner() throws Exception {
        start(Map.of("faulty", new Section(1)));
        NotApplied left = reload(Map.of("faulty", new Section(2), "noting", new Section(1)));
        assertThat(left.waits()).isEmpty();
        assertThat(left.failed()).singleElement().asString().contains("keeps its old configuration", "an assertion");
        assertThat(host.configs()).containsOnlyKeys("faulty", "noting");
        assertThat(reload(Map.of())).isEqualTo(new NotApplied());
        assertThat(EVENTS).containsExactly("faulty started", "noting started", "noting stopped");
        assertThat(removed).containsExactlyInAnyOrder("faulty", "noting");
    }

    /** A plugin's own key that needs a restart is no failure of the reload, as little as one of the proxy's. */
    @Test
    void aRefusedSectionWaitsForARestart() throws Exception {
        Noting refusing = new Noting("noting") {
            @Override
            public void reload(Section config) {
                throw new IllegalArgumentException("number: takes effect after a restart");
            }
        };
        host.start(Map.of("noting", refusing), Map.of("noting", new Section(1)), new Around());
        NotApplied left = reload(Map.of("noting", new Section(2)));
        assertThat(left.failed()).isEmpty();
        assertThat(left.waits())
                .containsExactly("plugins.noting keeps its old configuration: number: takes effect after a restart");
        assertThat(host.configs()).containsEntry("noting", new Section(1));
    }

    /** A fault that happens to be a subclass of the refusal. */
    @Test
    void aFaultIsNoRefusal() throws Exception {
        Noting faulty = new Noting("noting") {
            @Override
            public void reload(Section config) {
                Integer.parseInt("none");
            }
        };
        host.start(Map.of("noting", faulty), Map.of("noting", new Section(1)), new Around());
        NotApplied left = reload(Map.of("noting", new Section(2)));
        assertThat(left.waits()).isEmpty();
        assertThat(left.failed()).singleElement().asString().contains("NumberFormatException");
    }

    /** What it opened for the session is closed, as where a later callback throws. */
    @Test
    void anObserverWhoseInterestsThrowIsClosed() throws Exception {
        List<String> closed = new ArrayList<>();
        Noting noting = new Noting("noting") {
            @Override
            public SessionObserver openSession(SessionContext session) {
                return new SessionObserver() {
                    @Override
                    public int interests() {
                        throw new IllegalStateException("a fault of the observer");
                    }

                    @Override
                    public void onClose(String reason) {
                        closed.add(reason);
                    }
                };
            }
        };
        host.start(Map.of("noting", noting), Map.of("noting", new Section(1)), new Around());
        assertThat(host.openSession(new FakeSession("app"))).isEmpty();
        assertThat(closed).containsExactly("retired");
    }
}
