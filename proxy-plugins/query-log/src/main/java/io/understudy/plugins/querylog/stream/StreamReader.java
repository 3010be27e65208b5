package io.understudy.plugins.querylog.stream;

import io.understudy.plugin.PublishedStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * One reader of the stream with its queue. Sessions {@link #offer} from their event loops and never wait; the
 * endpoint's event loop takes. What does not fit is dropped and counted, here and in the stream.
 */
final class StreamReader implements PublishedStream.Reader {
    private static final int CHUNK = 64 * 1024;

    private final SlowLogStream stream;
    private final ReaderFilter filter;
    private final EventWriter writer;
    private final Runnable ready;
    private final MpscArrayQueue<StatementEvent> queue;
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean waiting = new AtomicBoolean();
    private volatile boolean ended;

    StreamReader(SlowLogStream stream, ReaderFilter filter, EventWriter writer, StreamConfig bounds, Runnable ready) {
        this.stream = stream;
        this.filter = filter;
        this.writer = writer;
        this.ready = ready;
        queue = new MpscArrayQueue<>(bounds.queuedStatements());
        maxBytes = bounds.queuedBytes();
    }

    /** Returns whether the reader requested the event. */
    boolean offer(StatementEvent event) {
        if (ended || !filter.takes(event)) {
            return false; // a busy load would never let an ended stream run dry
        }
        add(event);
        return true;
    }

    /** Queues an event that no filter decides about. */
    void add(StatementEvent event) {
        int size = event.size();
        boolean fits = bytes.addAndGet(size) <= maxBytes && queue.offer(event);
        if (!fits) {
            bytes.addAndGet(-size);
            dropped.incrementAndGet();
        }
        stream.count(fits);
        wake();
    }

    private void wake() {
        if (waiting.get() && waiting.compareAndSet(true, false)) {
            ready.run();
        }
    }

    @Override
    public byte @Nullable [] take() {
        long skipped = 0;
        while (writer.length() < CHUNK) {
            StatementEvent event = queue.poll();
            if (event == null) {
                if (writer.length() > 0 || skipped > 0 || dropped.get() > 0) {
                    break;
                }
                waiting.set(true);
                if (queue.isEmpty() && dropped.get() == 0 || !waiting.compareAndSet(true, false)) {
                    return null;
                }
                continue;
            }
            bytes.addAndGet(-event.size());
            long missing = dropped.getAndSet(0);
            if (missing + skipped > 0) {
                writer.missing(missing, skipped);
                skipped = 0;
            }
            String refusal = writer.write(event);
            if (refusal != null) {
                skipped++;
                stream.skipped(refusal);
            }
        }
        writer.missing(dropped.getAndSet(0), skipped);
        return writer.take();
    }

    @Override
    public boolean ended() {
        return ended && queue.isEmpty();
    }

    /** Nothing more will come. */
    void end() {
        ended = true;
        ready.run();
    }

    @Override
    public void close() {
        stream.remove(this);
        queue.clear();
    }
}
