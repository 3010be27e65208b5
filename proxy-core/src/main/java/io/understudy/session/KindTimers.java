package io.understudy.session;

import io.understudy.command.Exchange;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.sql.StatementKind;

/** Histograms of commands by statement kind, indexed by ordinal. Thread-safe. */
final class KindTimers {
    private final LatencyHistogram[] byKind = new LatencyHistogram[StatementKind.values().length];
    private final LatencyHistogram other;

    KindTimers(CoreMetrics metrics) {
        for (StatementKind kind : StatementKind.values()) {
            byKind[kind.ordinal()] = metrics.commandSeconds(kind.label());
        }
        other = metrics.commandSeconds("not_a_statement");
    }

    void record(Exchange exchange) {
        long nanos = exchange.lastByteNanos() - exchange.receivedNanos();
        if (exchange.isStatement()) {
            byKind[exchange.kind().ordinal()].record(nanos);
        } else {
            other.record(nanos);
        }
    }
}
