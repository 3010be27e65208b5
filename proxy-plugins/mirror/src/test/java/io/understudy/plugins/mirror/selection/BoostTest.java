package io.understudy.plugins.mirror.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.mirror.warmth.AdaptiveSample;
import io.understudy.plugins.mirror.warmth.Estimate;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoostTest {
    private static final List<TableName> ORDERS = List.of(new TableName("shop", "orders"));
    private static final List<TableName> ITEMS = List.of(new TableName("shop", "items"));
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final AdaptiveSample.Bounds BOUNDS = new AdaptiveSample.Bounds(0.1, 100, 5, 32);

    private final Boost boost = new Boost(0);

    private void load(double pageReads, long second) {
        boost.update(
                new AdaptiveSample.Measured(new Estimate(0, 0, 0, 100), false, pageReads, 0, 1, 1e-4),
                BOUNDS,
                second * SECOND);
    }

    @Test
    void allReadsOfABoostedTableAreTakenAndOthersAreNot() {
        assertThat(boost.takes(ORDERS, 0, 1)).isFalse();
        boost.tables().renew("shop.orders", 0);
        for (int random : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(boost.takes(ORDERS, random, 1)).isTrue();
            assertThat(boost.takes(ITEMS, random, 1)).isFalse();
        }
        assertThat(boost.share(ORDERS, 1)).isEqualTo(1);
        assertThat(boost.share(ITEMS, 1)).isZero();
        assertThat(boost.takes(ORDERS, 0, TableLeases.LEASE_NANOS)).isFalse();
        assertThat(boost.share(ORDERS, TableLeases.LEASE_NANOS)).isZero();
    }

    /** Whoever boosted it may have died: reads need not be compared with its tables for ever. */
    @Test
    void forgetsABoostThatHasEnded() {
        boost.tables().renew("shop.orders", 0);
        load(0, TableLeases.LEASE_SECONDS - 1);
        assertThat(boost.tables().isEmpty()).isFalse();
        load(0, TableLeases.LEASE_SECONDS + 1);
        assertThat(boost.tables().isEmpty()).isTrue();
    }

    /** A warm standby does not reduce it: its other tables say nothing about this one. */
    @Test
    void theBudgetsReduceIt() {
        for (int second = 1; second <= 30; second++) {
            load(99, second);
        }
        assertThat(boost.share().share()).isEqualTo(1);
        load(101, 31);
        load(101, 32);
        assertThat(boost.share().share()).isEqualTo(0.25);
        for (int second = 33; second <= 60; second++) {
            load(101, second);
        }
        assertThat(boost.share().share()).isEqualTo(0.01);
        for (int second = 61; second <= 120; second++) {
            load(79, second);
        }
        assertThat(boost.share().share()).isEqualTo(1);
    }
}
