package io.understudy.cli.defragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.defragment.ProxyReads.Warming;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DefragmentWarmingTest {
    private static final ColdPages HALF = new ColdPages(0.5, 0.4, 0.6);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    private Warming warming(ColdPages before) {
        return new Warming(before, Duration.ofSeconds(60), nanos::get);
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private static Map<String, Object> estimate(double mean) {
        return Map.of("estimate", mean, "low", mean / 2, "high", mean * 2);
    }

    private static Map<String, Object> row(long statements, double cold, double floor) {
        Map<String, Object> row = new HashMap<>(Map.of("table", "shop.orders", "statements", statements));
        row.put("target", 0.1);
        if (cold >= 0) {
            row.put("coldPages", estimate(cold));
        }
        if (floor >= 0) {
            row.put("floorPages", estimate(floor));
        }
        return row;
    }

    @Test
    void endsWhenTheTableIsAsWarmAsBefore() {
        Warming warming = warming(HALF);
        assertThat(warming.over()).isFalse();
        warming.saw(row(40, -1, 0.02));
        assertThat(warming.over()).isFalse();
        warming.saw(row(900, 1.8, 0.02));
        assertThat(warming.over()).isFalse();
        pass(7);
        warming.saw(row(3000, 0.5, 0.02));
        assertThat(warming.over()).isTrue();

        assertThat(warming.figures())
                .containsEntry("coldBefore", 0.5)
                .containsEntry("coldAfter", 1.8)
                .containsEntry("coldWarmed", 0.5)
                .containsEntry("excessBefore", 0.48)
                .containsEntry("excessAfter", 1.78)
                .containsEntry("excessWarmed", 0.48)
                .containsEntry("coldAfterInterval", List.of(0.9, 3.6))
                .containsEntry("excessBeforeInterval", List.of(0.378, 0.5805))
                .containsEntry("boostSeconds", 7.0)
                .containsEntry("boostStatements", 3000L)
                .containsEntry("end", "as warm as before");
        assertThat(warming.line())
                .contains("0.500 (0.400 to 0.600) before", "1.800 (0.900 to 3.600) right after")
                .contains("after 7 s with 3,000 reads mirrored in full: as warm as before")
                .contains("excess over the primary: 0.480 (0.378 to 0.580) before, 1.780 (0.880 to 3.580) right after");
    }

    @Test
    void withoutAFigureFromBeforeItEndsAtThePrimarysLevel() {
        Warming warming = warming(ColdPages.UNKNOWN);
        warming.saw(row(900, 0.2, -1));
        assertThat(warming.over()).as("the primary's level is unknown").isFalse();
        warming.saw(row(900, 0.2, 0.05));
        assertThat(warming.over()).isFalse();
        warming.saw(row(900, 0.14, 0.05));
        assertThat(warming.over()).isTrue();
        assertThat(warming.figures())
                .containsEntry("coldBefore", null)
                .containsEntry("excessBefore", null)
                .containsEntry("excessBeforeInterval", null)
                .containsEntry("end", "as warm as the primary");
    }

    @Test
    void endsWhenTheTimeIsOverAndSaysWhatIsUnknown() {
        Warming warming = warming(HALF);
        warming.saw(row(3, -1, -1));
        pass(59);
        assertThat(warming.over()).isFalse();
        pass(1);
        assertThat(warming.over()).isTrue();
        assertThat(warming.line()).contains("unknown (too few probes) right after", "the time was over");

        warming.missed("no response from 127.0.0.1:9");
        assertThat(warming.over()).isTrue();
        assertThat(warming.line()).contains("no response from 127.0.0.1:9");
    }

    @Test
    void doesNotWaitForATableThatNobodyReads() {
        Warming warming = warming(HALF);
        warming.saw(row(0, -1, 0.02));
        pass(9);
        assertThat(warming.over()).isFalse();
        pass(1);
        assertThat(warming.over()).isTrue();
        assertThat(warming.line()).contains("none of its reads came to be mirrored");
    }
}
