package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The section {@code black-box}, and what a mistake in it is answered with. */
class BlackBoxConfigTest {
    private static BlackBoxConfig config(String section) throws ConfigException {
        String text = "{ primary: { address: \"p:1\" }, plugins: { black-box: " + section + " } }";
        return (BlackBoxConfig) Objects.requireNonNull(
                ConfigLoader.load(text, "test.yaml", Map.of(BlackBoxPlugin.ID, BlackBoxConfig.class), name -> null)
                        .plugins()
                        .get(BlackBoxPlugin.ID));
    }

    @Test
    void nothingIsAcknowledgedUnlessItIsAskedFor() throws Exception {
        BlackBoxConfig config = config("{ memory: 1MiB }");
        assertThat(config.acknowledge()).isEqualTo(BlackBoxConfig.Acknowledge.OFF);
        assertThat(config.directory()).isNull();
        assertThat(config.size()).hasToString("4GiB");
    }

    @Test
    void theKeyIsNotShown() throws Exception {
        assertThat(config("{ acknowledge: disk, directory: /var/lib/u, key: 0123456789abcdef }"))
                .asString()
                .contains("DISK", "/var/lib/u", "***")
                .doesNotContain("0123456789");
    }

    @Test
    void aMistakeIsAnsweredWithTheRemedy() {
        refuses("{ acknowledge: disk }", "acknowledge: disk needs a directory to write to: add 'directory'");
        refuses("{ acknowledge: on }", "one of off, memory, disk");
        refuses("{ key: 0123456789abcdef }", "and there is none: add 'directory', or remove the key");
        refuses("{ directory: d, key: short }", "black-box.key: must have at least 16 characters");
        refuses("{ directory: d, size: 1MiB }", "black-box.size: must be at least 64MiB but is 1MiB");
    }

    private static void refuses(String section, String message) {
        assertThatThrownBy(() -> config(section))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }
}
