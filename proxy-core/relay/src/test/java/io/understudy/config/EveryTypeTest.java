package io.understudy.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.ByteSize;
import io.understudy.base.Secret;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EveryTypeTest {

    private static SamplePlugin sample(String section) throws ConfigException {
        LoadedConfig loaded = ConfigTexts.text("primary: { address: a:1 }\nplugins:\n  sample:\n" + section.indent(4));
        return (SamplePlugin) requireNonNull(loaded.plugins().get("sample"));
    }

    @Test
    void bindsEveryType() throws ConfigException {
        SamplePlugin sample = sample("""
                concurrency: 7
                total: 9000000000
                factor: 2
                strict: true
                timeout: 250ms
                order: by-session
                queue: { statements: 5, bytes: 1KiB }
                initSql: [set a=1, "set b=2"]
                rules: [{ name: one, sample: 10% }, { name: 2 }]
                weights: { b: 1, a: 2 }
                rate: 5%
                password: 1234
                """);
        assertThat(sample.concurrency()).isEqualTo(7);
        assertThat(sample.total()).isEqualTo(9_000_000_000L);
        assertThat(sample.factor()).isEqualTo(2.0);
        assertThat(sample.strict()).isTrue();
        assertThat(sample.timeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(sample.order()).isEqualTo(SamplePlugin.Order.BY_SESSION);
        assertThat(sample.queue()).isEqualTo(new SamplePlugin.Queue(5, new ByteSize(1024)));
        assertThat(sample.initSql()).containsExactly("set a=1", "set b=2");
        assertThat(sample.rules())
                .containsExactly(
                        new SamplePlugin.Rule("one", new SamplePlugin.Rate(10)), new SamplePlugin.Rule("2", null));
        assertThat(sample.weights()).containsExactly(Map.entry("b", 1), Map.entry("a", 2));
        assertThat(sample.rate()).isEqualTo(new SamplePlugin.Rate(5));
        assertThat(sample.password()).isEqualTo(Secret.parse("1234"));
    }

    @Test
    void aSingleElementNeedsNoBrackets() throws ConfigException {
        assertThat(sample("initSql: set a=1").initSql()).containsExactly("set a=1");
        assertThat(sample("rules: { name: only }").rules()).hasSize(1);
        assertThat(sample("rules: []").rules()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"by-session", "by_session", "BY_SESSION", "By-Session"})
    void enumsAreReadInEverySpelling(String text) throws ConfigException {
        assertThat(sample("order: " + text).order()).isEqualTo(SamplePlugin.Order.BY_SESSION);
    }

    @Test
    void anchorsAndAliasesCopyAValue() throws ConfigException {
        UnderstudyConfig config = ConfigTexts.text("""
                        primary: { address: "a:1", tls: &tls { mode: required } }
                        standbys: { name: s, address: "b:1", user: u, tls: *tls }
                        """).config();
        assertThat(config.standbys().get(0).tls()).isEqualTo(config.primary().tls());
        assertThat(config.primary().tls().mode()).isEqualTo(ServerTlsMode.REQUIRED);
    }

    @Test
    void theShaIsTheTexts() throws ConfigException {
        // printf 'primary: {address: a:1}' | sha256sum
        assertThat(ConfigTexts.text("primary: {address: a:1}").sha())
                .isEqualTo("4f6d0d6f6db5207eb9dbe781116f5c8134382babd25bb3dc1c862e75dbe54651")
                .isNotEqualTo(ConfigTexts.text("primary: {address: a:2}").sha());
        assertThat(ConfigTexts.text("primary: {address: a:1}").files()).isEmpty();
    }
}
