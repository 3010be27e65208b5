package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerConnection;
import java.time.Duration;

/** The stream of an attempt, as its supervisor sees it. Thread-safe. */
interface LiveStream {
    /** The stream of an attempt that has not requested one. */
    LiveStream NONE = new LiveStream() {
        @Override
        public boolean between(Runnable task) {
            return false;
        }

        @Override
        public boolean lived(Duration least) {
            return false;
        }

        @Override
        public boolean silent(long nowNanos, Duration least) {
            return false;
        }
    };

    /** Runs a task on the stream's event loop, see {@link BinlogDump#between}. Returns false if there is no stream. */
    boolean between(Runnable task);

    /** Returns whether data arrived at least this long after the begin. */
    boolean lived(Duration least);

    /** Returns whether nothing has arrived for longer than {@code least}. */
    boolean silent(long nowNanos, Duration least);

    /** A stream that was requested on a connection. */
    record Requested(ServerConnection on, BinlogStream stream) implements LiveStream {
        @Override
        public boolean between(Runnable task) {
            on.loop().execute(() -> stream.between(task));
            return true;
        }

        @Override
        public boolean lived(Duration least) {
            return stream.lived(least);
        }

        @Override
        public boolean silent(long nowNanos, Duration least) {
            return nowNanos - stream.lastNanos() > least.toNanos();
        }
    }
}
