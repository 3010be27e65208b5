package io.understudy.plugins.mirror.selection;

import io.understudy.plugins.mirror.warmth.AdaptiveSample;
import io.understudy.plugins.mirror.warmth.Estimate;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Map;

/**
 * Tables whose reads are mirrored to one standby whatever the sample of their rule, because a rebuild has left their
 * pages out of memory there. The budgets of the adaptive sample bound the share. Thread-safe but for {@link #update}.
 */
public final class Boost {
    /** Share that is mirrored even if the standby is over its budget. */
    private static final double LOWEST = 0.01;

    private final TableLeases tables = new TableLeases();
    /** Never finds the standby warm, so that only the budgets reduce it. */
    private final AdaptiveSample budgeted;

    private volatile SampleRate share = SampleRate.of(1);

    public Boost(long nowNanos) {
        budgeted = new AdaptiveSample(nowNanos);
    }

    public TableLeases tables() {
        return tables;
    }

    /** Returns whether a read of these tables for which {@code random} was drawn is mirrored by the boost. */
    public boolean takes(List<TableName> reads, int random, long nowNanos) {
        return tables.covers(reads, nowNanos) && share.takes(random);
    }

    /** Returns the share of the reads of these tables that the boost mirrors. */
    public double share(List<TableName> reads, long nowNanos) {
        return tables.covers(reads, nowNanos) ? share.share() : 0;
    }

    /** Returns the share of the reads of boosted tables that is mirrored. */
    public SampleRate share() {
        return share;
    }

    public Map<String, Long> view(long nowNanos) {
        return tables.view(nowNanos);
    }

    /** Takes in the standby's load, about once a second. */
    public void update(AdaptiveSample.Measured now, AdaptiveSample.Bounds bounds, long nowNanos) {
        tables.expire(nowNanos);
        AdaptiveSample.Measured load = new AdaptiveSample.Measured(
                Estimate.UNKNOWN, now.restarted(), now.pageReads(), now.lagSeconds(), now.threadsRunning(), LOWEST);
        if (budgeted.update(load, bounds, nowNanos)) {
            share = SampleRate.of(budgeted.ratio());
        }
    }
}
