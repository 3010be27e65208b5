package io.understudy.plugins.mirror.selection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PastSamplesTest {
    @Test
    void aStatementHasTheSampleOfTheTimeAtWhichItWasChosen() {
        PastSamples history = new PastSamples(SampleRate.of(1));
        assertThat(history.at(5)).isEqualTo(SampleRate.of(1));
        history.add(SampleRate.of(0.5), 100);
        history.add(SampleRate.of(0.25), 200);
        assertThat(history.at(99)).isEqualTo(SampleRate.of(1));
        assertThat(history.at(100)).isEqualTo(SampleRate.of(0.5));
        assertThat(history.at(199)).isEqualTo(SampleRate.of(0.5));
        assertThat(history.at(250)).isEqualTo(SampleRate.of(0.25));
    }

    @Test
    void itsSizeIsBounded() {
        PastSamples history = new PastSamples(SampleRate.of(1));
        for (int i = 1; i <= 100; i++) {
            history.add(SampleRate.of(1.0 / i), i);
        }
        assertThat(history.at(0)).as("the oldest known").isEqualTo(SampleRate.of(1.0 / 85));
        assertThat(history.at(100)).isEqualTo(SampleRate.of(0.01));
    }
}
