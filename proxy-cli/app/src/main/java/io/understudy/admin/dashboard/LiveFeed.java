package io.understudy.admin.dashboard;

import io.understudy.plugin.PublishedStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The server-sent events of the dashboard. A topic is written once for all viewers. A viewer holds the newest text of
 * each topic that it has not taken; a newer one replaces it, so that a slow viewer misses frames and costs no memory.
 */
final class LiveFeed implements PublishedStream {

    static final int VIEWERS = 16;

    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Runnable opened;

    /** @param opened run when a viewer was added, so that it need not wait for the next frame; must be cheap */
    LiveFeed(Runnable opened) {
        this.opened = opened;
    }

    @Override
    public String contentType() {
        return "text/event-stream; charset=utf-8";
    }

    @Override
    public Reader open(Map<String, String> parameters, Runnable ready) {
        if (count.incrementAndGet() > VIEWERS) {
            count.decrementAndGet();
            throw new IllegalStateException(
                    "there are " + VIEWERS + " viewers already; ask /api/overview from time to time instead");
        }
        Viewer viewer = new Viewer(ready);
        viewers.add(viewer);
        opened.run();
        return viewer;
    }

    boolean isWatched() {
        return count.get() > 0;
    }

    /** Sends each viewer the topics that differ from what it has. */
    void publish(Map<String, String> topics) {
        Map<String, byte[]> events = new LinkedHashMap<>();
        topics.forEach((topic, json) ->
                events.put(topic, ("event: " + topic + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8)));
        viewers.forEach(viewer -> viewer.offer(events));
    }

    private final class Viewer implements Reader {
        private final Runnable ready;
        private final Map<String, byte[]> newest = new LinkedHashMap<>();
        private final Map<String, byte[]> pending = new LinkedHashMap<>();
        private boolean closed;

        private Viewer(Runnable ready) {
            this.ready = ready;
        }

        private void offer(Map<String, byte[]> events) {
            synchronized (this) {
                events.forEach((topic, event) -> {
                    if (!Arrays.equals(newest.put(topic, event), event)) {
                        pending.put(topic, event);
                    }
                });
            }
            ready.run();
        }

        @Override
        public synchronized byte @Nullable [] take() {
            if (pending.isEmpty()) {
                return null;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            pending.values().forEach(out::writeBytes);
            pending.clear();
            return out.toByteArray();
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public void close() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            viewers.remove(this);
            count.decrementAndGet();
        }
    }
}
