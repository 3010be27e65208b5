package io.understudy.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.cli.explain.Explainer.ExplainResult;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginDecision;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several plugins explain one statement. */
class ExplainPluginsTest {
    /** The configuration, which has no keys. */
    record NoKeys() {}

    /** Explains every statement with one key. */
    private record Explaining(String id, String key) implements ProxyPlugin<NoKeys> {
        @Override
        public Class<NoKeys> configType() {
            return NoKeys.class;
        }

        @Override
        public PluginDecision explain(@Nullable NoKeys config, ExplainedStatement statement) {
            return new PluginDecision(Map.of(key, id), List.of(new PluginDecision.Line(id, "said")));
        }

        @Override
        public void start(PluginContext context, NoKeys config) {}

        @Override
        public void reload(NoKeys config) {}

        @Override
        public SessionObserver openSession(SessionContext session) {
            return SessionObserver.NONE;
        }

        @Override
        public void stop() {}
    }

    private static ExplainResult explain(Explaining... plugins) throws Exception {
        Map<String, ProxyPlugin<?>> found = new LinkedHashMap<>();
        for (Explaining plugin : plugins) {
            found.put(plugin.id(), plugin);
        }
        PluginTypes types = new PluginTypes(found);
        LoadedConfig loaded = ConfigLoader.load(
                "primary: { address: \"127.0.0.1:3306\" }\nplugins: { second: {}, first: {} }\n",
                "test.yaml",
                types.records(),
                name -> null);
        return new Explainer(loaded, types).explain(new ExplainRequest(1, "SELECT 1", "app", "shop", null, "mariadb"));
    }

    @Test
    void theOrderIsThatOfTheConfiguration() throws Exception {
        String text = explain(
                        new Explaining("absent", "a"), new Explaining("first", "f"), new Explaining("second", "s"))
                .text();
        assertThat(text).containsSubsequence("second ", "first ", "absent ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"reason", "kind"})
    void aKeyIsNotOverwritten(String key) {
        assertThatThrownBy(() -> explain(new Explaining("second", "reason"), new Explaining("first", key)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("plugin first")
                .hasMessageContaining("'" + key + "'")
                .hasMessageContaining(key.equals("kind") ? "the proxy" : "plugin second");
    }
}
