package io.understudy.session;

import io.understudy.command.Exchange;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.sql.StatementKind;
import org.jspecify.annotations.Nullable;

/** Histograms of commands by statement kind. Thread-safe. */
final class KindTimers {
    private static final int OTHER = StatementKind.values().length;

    /** Indexed by the kind's ordinal. */
    private final LatencyHistogram[] histograms = new LatencyHistogram[OTHER + 1];

    private final ThreadLocal<Recorders> ofThread = ThreadLocal.withInitial(() -> new Recorders(histograms));

    KindTimers(CoreMetrics metrics) {
        for (StatementKind kind : StatementKind.values()) {
            histograms[kind.ordinal()] = metrics.commandSeconds(kind.label());
        }
        histograms[OTHER] = metrics.commandSeconds("not_a_statement");
    }

    /** Returns the recorders of the calling thread, for a session that lives on it. */
    Recorders recorders() {
        return ofThread.get();
    }

    /** Records for one thread; a kind costs memory from its first command on. */
    static final class Recorders {
        private final LatencyHistogram[] histograms;
        private final LatencyHistogram.@Nullable Recorder[] byKind = new LatencyHistogram.Recorder[OTHER + 1];

        private Recorders(LatencyHistogram[] histograms) {
            this.histograms = histograms;
        }

        void record(Exchange exchange) {
            int kind = exchange.isStatement() ? exchange.kind().ordinal() : OTHER;
            LatencyHistogram.Recorder recorder = byKind[kind];
            if (recorder == null) {
                recorder = histograms[kind].recorder();
                byKind[kind] = recorder;
            }
            recorder.record(exchange.lastByteNanos() - exchange.receivedNanos());
        }
    }
}
