package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.it.PooledLoad;
import io.understudy.it.PooledLoad.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Planned switches there and back with {@code failover.sessions: move}, of which an application with a pool sees a
 * pause. {@code -Dunderstudy.it.moves=100} for the figures.
 */
@Tag("long")
class MovedPoolTest extends SwitchoverHarness {
    private static final int TIMES = Integer.getInteger("understudy.it.moves", 6);
    private static final int SESSIONS = 8;
    private static final Pattern HELD = Pattern.compile("held for (\\d+) ms");
    private static final Pattern LAG = Pattern.compile("lag (\\d+) ms");

    @Override
    String sections() {
        return "failover: { sessions: move }";
    }

    @Test
    @Timeout(3_600)
    void aPoolSeesAPause() throws Exception {
        List<Long> pauses = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        List<Long> lags = new ArrayList<>();
        try (PooledLoad load = new PooledLoad(address().getPort(), "secret", SESSIONS, Duration.ofMillis(5))) {
            for (int i = 0; i < TIMES; i++) {
                EmbeddedServer old = primary();
                load.awaitMore();
                load.takeSteps();
                Said said = switchTo(standby());
                assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
                load.awaitMore();
                pauses.addAll(longest(load.takeSteps()));
                held.add(said.number(HELD));
                lags.add(said.number(LAG));
                makeStandby(old, said);
            }
            load.close();
            Map<String, Double> outcomes = outcomes();
            System.out.println("FIGURE " + TIMES + " switches, " + load.rows() + " rows: pause ms " + figures(pauses)
                    + "; held ms " + figures(held) + "; lag ms " + figures(lags) + "; sessions " + outcomes
                    + "; failed " + load.failures());
            assertThat(load.failures()).isEmpty();
            assertThat(load.wrong()).isZero();
            assertThat(load.lost(primary())).isEmpty();
            assertThat(PooledLoad.doubled(primary())).isEmpty();
            double all =
                    outcomes.values().stream().mapToDouble(Double::doubleValue).sum();
            assertThat(outcomes.getOrDefault("moved", 0.0))
                    .isGreaterThanOrEqualTo(0.99 * all)
                    .isGreaterThanOrEqualTo(TIMES); // one that is not used meanwhile need not move
        }
    }

    /** Returns the longest call of each thread, in milliseconds. */
    private static List<Long> longest(List<Step> steps) {
        Map<Integer, Long> longest = new HashMap<>();
        for (Step step : steps) {
            longest.merge(step.thread(), (step.ended() - step.begun()) / 1_000_000, Math::max);
        }
        return List.copyOf(longest.values());
    }

    private Map<String, Double> outcomes() {
        Map<String, Double> outcomes = new TreeMap<>();
        for (Counter counter :
                proxy.registry().find("understudy.sessions.moved").counters()) {
            outcomes.put(String.valueOf(counter.getId().getTag("outcome")), counter.count());
        }
        return outcomes;
    }

    private static String figures(List<Long> values) {
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return "p50 " + sorted.get(sorted.size() / 2) + " p95 " + sorted.get(sorted.size() * 95 / 100) + " max "
                + sorted.get(sorted.size() - 1);
    }
}
