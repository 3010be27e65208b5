package io.understudy.rebuild;

import java.time.Duration;
import java.util.Locale;

/**
 * The limits at which {@code defragment} waits or stops.
 *
 * @param lag above this lag the next table waits
 * @param hardLag above this lag a running rebuild is ended
 * @param threads above this value of {@code Threads_running} the next table waits
 * @param hardThreads above this value of {@code Threads_running} a running rebuild is ended
 * @param patience the longest time that the next table waits
 */
public record Bounds(Duration lag, Duration hardLag, int threads, int hardThreads, Duration patience) {

    /** Returns why the next table has to wait, or an empty text. */
    String busy(Load load) {
        return above(load, lag, threads);
    }

    /** Returns why a running rebuild has to end, or an empty text. */
    String alarm(Load load) {
        return above(load, hardLag, hardThreads);
    }

    /** Returns why the server is no standby any more, or an empty text. */
    static String promoted(Load load) {
        if (!load.readOnly()) {
            return "the server is writable: it was made a primary, or lost its fence";
        }
        return load.replica() ? "" : "the server replicates from no server any more: it was made a primary";
    }

    private static String above(Load load, Duration lag, int threads) {
        String promoted = promoted(load);
        if (!promoted.isEmpty()) {
            return promoted;
        }
        if (load.lagSeconds() < 0) {
            return "replication does not run";
        }
        // The server reports whole seconds.
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

    /**
     * The load of a standby.
     *
     * @param lagSeconds lag of the channel that is furthest behind; -1 if a channel is not running
     * @param threadsRunning {@code Threads_running}
     * @param readOnly whether it is read-only still
     * @param replica whether it replicates from a server still, running or not
     */
    record Load(long lagSeconds, long threadsRunning, boolean readOnly, boolean replica) {}
}
