package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.testkit.Fakes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RunningSteeringTest {
    private final Map<String, Supplier<?>> published = new HashMap<>();

    private final PluginContext context =
            Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "meters" -> new SimpleMeterRegistry();
                case "primary" ->
                    Fakes.of(
                            Primary.class,
                            (primary, called, none) -> called.getName().equals("flavor") ? ServerFlavor.MARIADB : null);
                default -> published.put((String) arguments[0], (Supplier<?>) arguments[1]);
            });

    @Test
    void theLastLeverRuleIsRemovedByAReload() throws Exception {
        RunningSteering steering =
                new RunningSteering(context, GtidDomainConfigTest.load("rules: [ { name: a, alter: two-phase } ]"));
        steering.start();

        steering.reload(GtidDomainConfigTest.load("rules: []"));

        assertThat(Objects.requireNonNull(published.get("steering")).get())
                .isEqualTo(Map.of("mode", "advise", "rules", List.of()));
        GtidDomainConfig domain = GtidDomainConfigTest.load("rules: [ { name: a, domain: 5 } ]");
        assertThatThrownBy(() -> steering.reload(domain)).hasMessageContaining("after a restart");
    }
}
