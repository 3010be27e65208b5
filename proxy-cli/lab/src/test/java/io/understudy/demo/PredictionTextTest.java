package io.understudy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.demo.DemoReport.PredictionText;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PredictionTextTest {
    private record Figures(
            long commits,
            double commitsPerSecond,
            double commitMillis,
            double roundTripMillis,
            double ceilingPerConnection,
            double connectionsNeeded) {}

    private record View(Figures prediction) {}

    @Test
    void showsRoundTripCeilingAndConnections() {
        assertThat(PredictionText.of(new View(new Figures(900, 31.2, 86.5, 85.25, 11.6, 2.7))))
                .contains("from 900 commits")
                .contains("acknowledging replica 85.25 ms")
                .contains("ceiling of one connection 11.6 commits/s (one after another, 86.50 ms each)")
                .contains("observed 31.2 commits/s: 2.7");
    }

    @Test
    void isEmptyWithoutCommits() {
        assertThat(PredictionText.of(new View(new Figures(0, 0, 0, 0, 0, 0)))).isEmpty();
        assertThat(PredictionText.of(Map.of())).isEmpty();
    }
}
