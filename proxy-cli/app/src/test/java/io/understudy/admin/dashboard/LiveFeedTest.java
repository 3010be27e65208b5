package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.admin.dashboard.Dashboard.LiveFeed;
import io.understudy.plugin.PublishedStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveFeedTest {

    private final AtomicInteger frames = new AtomicInteger();
    private final AtomicInteger ready = new AtomicInteger();
    private final LiveFeed feed = new LiveFeed(frames::incrementAndGet);

    private PublishedStream.Reader open() {
        return feed.open(Map.of(), ready::incrementAndGet);
    }

    private static String taken(PublishedStream.Reader viewer) {
        byte[] bytes = viewer.take();
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void aViewerGetsEachTopicAsAnEvent() {
        PublishedStream.Reader viewer = open();
        assertThat(frames).as("a new viewer need not wait").hasValue(1);
        assertThat(taken(viewer)).isEmpty();
        feed.publish(Map.of("now", "{\"a\":1}"));
        assertThat(ready).hasValue(1);
        assertThat(taken(viewer)).isEqualTo("event: now\ndata: {\"a\":1}\n\n");
        assertThat(taken(viewer)).isEmpty();
    }

    @Test
    void whatHasNotChangedIsNotSentAgain() {
        PublishedStream.Reader viewer = open();
        feed.publish(Map.of("mirror", "1"));
        taken(viewer);
        feed.publish(Map.of("mirror", "1"));
        assertThat(taken(viewer)).isEmpty();
        feed.publish(Map.of("mirror", "2"));
        assertThat(taken(viewer)).isEqualTo("event: mirror\ndata: 2\n\n");
    }

    @Test
    void aSlowViewerMissesFramesAndHoldsOneOfEachTopic() {
        PublishedStream.Reader slow = open();
        PublishedStream.Reader quick = open();
        for (int i = 0; i < 1000; i++) {
            feed.publish(Map.of("now", String.valueOf(i)));
            assertThat(taken(quick)).contains("data: " + i + "\n");
        }
        assertThat(taken(slow)).isEqualTo("event: now\ndata: 999\n\n");
        assertThat(taken(slow)).isEmpty();
    }

    @Test
    void viewersAreBoundedAndMakeRoomWhenTheyLeave() {
        List<PublishedStream.Reader> viewers = new ArrayList<>();
        for (int i = 0; i < LiveFeed.VIEWERS; i++) {
            viewers.add(open());
        }
        assertThatThrownBy(this::open).isInstanceOf(IllegalStateException.class).hasMessageContaining("/api/overview");
        viewers.get(0).close();
        viewers.get(0).close();
        open();
        assertThatThrownBy(this::open).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nothingIsWatchedWithoutViewers() {
        assertThat(feed.isWatched()).isFalse();
        PublishedStream.Reader viewer = open();
        assertThat(feed.isWatched()).isTrue();
        viewer.close();
        assertThat(feed.isWatched()).isFalse();
    }
}
