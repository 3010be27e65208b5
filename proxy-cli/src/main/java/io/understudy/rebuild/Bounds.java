package io.understudy.rebuild;

import java.time.Duration;
import java.util.Locale;

/**
 * When to wait and when to stop.
 *
 * @param lag above which the next table waits
 * @param hardLag above which a rebuild is ended
 * @param threads of {@code Threads_running} above which the next table waits
 * @param hardThreads above which a rebuild is ended
 * @param patience how long the next table waits at most
 */
public record Bounds(Duration lag, Duration hardLag, int threads, int hardThreads, Duration patience) {

    /** Why the next table has to wait, or an empty text. */
    String busy(Load load) {
        return above(load, lag, threads);
    }

    /** Why a running rebuild has to end, or an empty text. */
    String alarm(Load load) {
        return above(load, hardLag, hardThreads);
    }

    private static String above(Load load, Duration lag, int threads) {
        if (load.lagSeconds() < 0) {
            return "replication does not run";
        }
        // The server tells whole seconds.
        if (load.lagSeconds() * 1000L > lag.toMillis()) {
            return String.format(
                    Locale.ROOT,
                    "the standby is %d s behind, above %.1f s",
                    load.lagSeconds(),
                    lag.toMillis() / 1000.0);
        }
        if (load.threadsRunning() > threads) {
            return "Threads_running is " + load.threadsRunning() + ", above " + threads;
        }
        return "";
    }
}
