package io.understudy.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interests of observers that their plugin does not announce. */
class PluginInterestsTest {
    /** Has no configuration. */
    public record Nothing() {}

    /** Its observers use the GTIDs of responses. */
    private record Gtids(int possibleInterests) implements ProxyPlugin<Nothing> {
        @Override
        public String id() {
            return "gtids";
        }

        @Override
        public Class<Nothing> configType() {
            return Nothing.class;
        }

        @Override
        public void start(PluginContext context, Nothing config) {}

        @Override
        public void reload(Nothing config) {}

        @Override
        public SessionObserver openSession(SessionContext session) {
            return new SessionObserver() {
                @Override
                public int interests() {
                    return Interest.RESPONSES | Interest.GTIDS;
                }
            };
        }

        @Override
        public void stop() {}
    }

    @ParameterizedTest
    @ValueSource(ints = {Interest.NONE, Interest.GTIDS})
    void gtidsThatWillNeverComeAreLoggedOnce(int possible) throws Exception {
        PluginHost host =
                new PluginHost(new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name));
        Map<String, ProxyPlugin<?>> available = Map.of("gtids", new Gtids(possible));
        host.start(available, Map.of("gtids", new Nothing()), plugin -> Fakes.of(PluginContext.class, Map.of()));
        try (CapturedLog log = new CapturedLog()) {
            SessionContext session = Fakes.of(SessionContext.class, Map.of());
            host.openSession(session);
            host.openSession(session);
            assertThat(log.text().lines().filter(line -> line.contains("gets no GTIDs of responses")))
                    .hasSize(possible == Interest.GTIDS ? 0 : 1);
        }
        host.stop();
    }
}
