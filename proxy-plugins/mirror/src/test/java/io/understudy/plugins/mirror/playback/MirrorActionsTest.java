package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.DigestNotes;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugins.mirror.MirrorPlugin;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator can do with a standby of the mirror, by the names of the path. */
@SuppressWarnings("NullAway") // absent keys are null
class MirrorActionsTest {
    private final Map<String, PluginContext.Action> actions = new HashMap<>();
    private final MirrorPlugin plugin = new MirrorPlugin();

    @BeforeEach
    void start() throws Exception {
        Map<String, Object> context = new HashMap<>();
        context.put("meters", new SimpleMeterRegistry());
        context.put("standbys", List.of(new FakeStandby()));
        context.put("clock", Clock.systemUTC());
        context.put("executor", new ManualExecutor());
        context.put("latency", (LatencyRecorder) nanos -> {});
        context.put("primary", Fakes.of(Primary.class, Map.of("dataSource", (Fakes.Result) arguments -> null)));
        context.put("publish", (Fakes.Result) arguments -> null);
        context.put("shared", new DigestNotes());
        context.put("publishOfStandby", (Fakes.Result) arguments -> null);
        context.put("publishAction", (Fakes.Result) arguments ->
                actions.put((String) arguments[0], (PluginContext.Action) arguments[arguments.length - 1]));
        plugin.start(Fakes.of(PluginContext.class, context), config());
    }

    @AfterEach
    void stop() {
        plugin.stop();
    }

    private static MirrorConfig config() {
        MirrorConfig.Rule all = new MirrorConfig.Rule("all", null, null, null, null, null);
        return MirrorConfigs.of(1, null, null, null, null, null, null, List.of(all));
    }

    private Object act(String path, Map<String, String> parameters) {
        return Objects.requireNonNull(actions.get(path), path).run(parameters);
    }

    @Test
    void aStandbyIsTheOneThatThePathNames() {
        assertThat(act("mirror/{standby}/pause", Map.of("a", "another", "standby", "standby-1", "z", "another")))
                .isEqualTo(Map.of("paused", "standby-1"));
        assertThatThrownBy(() -> act("mirror/{standby}/resume", Map.of("standby", "another")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no standby 'another'; there are [standby-1]");
    }

    @Test
    void aTableIsTheOneThatThePathNames() {
        assertThat(act("mirror/{standby}/unskip/{table}", Map.of("table", "shop.t", "standby", "standby-1")))
                .isEqualTo(Map.of("mirrored", "shop.t"));
    }
}
