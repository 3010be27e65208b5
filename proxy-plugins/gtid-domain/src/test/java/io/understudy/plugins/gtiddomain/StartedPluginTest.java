package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.testkit.Fakes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StartedPluginTest {
    private final AtomicInteger scheduled = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();

    private final ScheduledFuture<?> task =
            Fakes.of(ScheduledFuture.class, Map.of("cancel", (Fakes.Result) arguments -> {
                cancelled.incrementAndGet();
                return true;
            }));

    /** The host sees no plugin that it could stop. */
    @Test
    @SuppressWarnings("NullAway") // absent keys are passed as null
    void aStartThatFailsLeavesNothingRunning() {
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "standbys" -> List.of();
            case "primary" -> Fakes.of(Primary.class, (primary, asked, none) -> null);
            case "executor" ->
                Fakes.of(ScheduledExecutorService.class, Map.of("scheduleWithFixedDelay", (Fakes.Result) none -> {
                    scheduled.incrementAndGet();
                    return task;
                }));
            default -> throw new IllegalStateException("no meters");
        });
        GtidDomainConfig config = new GtidDomainConfig(null, null, null, null, null, null, null, null, null);
        assertThatThrownBy(() -> StartedPlugin.with(context, config, () -> {})).hasMessage("no meters");
        assertThat(scheduled.get()).isOne();
        assertThat(cancelled.get()).isOne();
    }
}
