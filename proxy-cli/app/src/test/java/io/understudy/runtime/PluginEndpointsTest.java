package io.understudy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.admin.AdminEndpoints;
import io.understudy.host.HostContext;
import io.understudy.host.MeterOwners;
import io.understudy.host.Published;
import io.understudy.host.SharedInstances;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.Primary;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PluginEndpointsTest {
    private final Published published = new Published();
    private final AdminEndpoints endpoints = new AdminEndpoints();

    private HostContext plugin(String id) {
        Primary none = (Primary) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Primary.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
        return new HostContext(
                id,
                new HostContext.Shared(
                        new SimpleMeterRegistry(),
                        new LatencyHistograms(),
                        Clock.systemUTC(),
                        none,
                        List.of(),
                        published,
                        new SharedInstances(),
                        new MeterOwners(new SimpleMeterRegistry())),
                () -> 0);
    }

    /** A session may leave a plugin long after the reload that removed it, and no reload comes then. */
    @Test
    void aPluginThatStopsBetweenReloadsIsGone() {
        HostContext late = plugin("late");
        try (HostContext other = plugin("other")) {
            late.publish("figures", () -> Map.of("a", 1));
            late.publishAction("figures/reset", parameters -> Map.of());
            other.publish("others", () -> Map.of());
            PluginEndpoints shown = new PluginEndpoints(published, endpoints);
            shown.follow();
            assertThat(endpoints.publicView("figures")).isNotNull();

            late.remove();

            assertThat(endpoints.publicView("figures")).isNull();
            assertThat(endpoints.publicView("others")).isNotNull();
        }
    }
}
