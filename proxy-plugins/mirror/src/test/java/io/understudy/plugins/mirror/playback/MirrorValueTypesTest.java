package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.SampleRate;
import java.util.List;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway") // absent keys are null
class MirrorValueTypesTest {
    @Test
    void readsRatesExactly() {
        assertThat(SampleRate.parse("10%").millionths()).isEqualTo(100_000);
        assertThat(SampleRate.parse("0.0001%").millionths()).isEqualTo(1);
        assertThat(SampleRate.parse("100%").millionths()).isEqualTo(SampleRate.ALL);
        assertThat(SampleRate.parse("12.5%")).hasToString("12.5%");
    }

    @Test
    void rejectsTextThatIsNoRate() {
        assertThatThrownBy(() -> SampleRate.parse("101%")).hasMessageContaining("at most 100%");
        assertThatThrownBy(() -> SampleRate.parse("10")).hasMessageContaining("percentage such as 10%");
        assertThatThrownBy(() -> SampleRate.parse("adapted")).hasMessageContaining("or adaptive");
    }

    @Test
    void readsTheAdaptiveRate() {
        SampleRate adaptive = SampleRate.parse("adaptive");
        assertThat(adaptive.isAdaptive()).isTrue();
        assertThat(adaptive).hasToString("adaptive");
        assertThat("adaptive").matches(SampleRate.PATTERN);
        assertThat(SampleRate.of(0.005)).isEqualTo(SampleRate.parse("0.5%"));
    }

    /** Without probes nothing would ever lower the sample. */
    @Test
    void anAdaptiveRuleNeedsProbes() {
        var fixed = List.of(rule("100%"));
        var adaptive = List.of(rule("100%"), rule("adaptive"));
        assertThat(withProbes(0, fixed).probes()).isZero();
        assertThat(withProbes(1, adaptive).probes()).isEqualTo(1);
        assertThatThrownBy(() -> withProbes(0, adaptive))
                .hasMessageContaining("probes: expected at least 1 where a rule has sample: adaptive");
    }

    private static MirrorConfig.Rule rule(String sample) {
        return new MirrorConfig.Rule("r", null, SampleRate.parse(sample), null, null, null);
    }

    private static MirrorConfig withProbes(int probes, List<MirrorConfig.Rule> rules) {
        return new MirrorConfig(
                null, null, null, null, null, null, null, rules, null, null, probes, null, null, null, null);
    }

    @Test
    void aRateTakesItsShareOfEvenlySpreadNumbers() {
        SampleRate tenth = SampleRate.parse("10%");
        int taken = 0;
        for (int i = 0; i < 1_000_000; i++) {
            taken += tenth.takes(i) ? 1 : 0;
        }
        assertThat(taken).isEqualTo(100_000);
        assertThat(SampleRate.parse("0%").takes(0)).isFalse();
        assertThat(SampleRate.parse("100%").takes(-1)).isTrue();
    }
}
