package io.understudy.plugins.querylog.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.PublishedStream;
import io.understudy.sql.Literals;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EndedStreamTest {
    private static StreamConfig config(Literals literals) {
        return new StreamConfig(literals, 4, 100, 1 << 20, List.of());
    }

    /** Sessions go on while the endpoint takes: the reader's queue is never empty by itself. */
    @Test
    void aStreamEndsUnderLoadWhenItsValuesChange() {
        SlowLogStream stream = new SlowLogStream(config(Literals.DROP), new SimpleMeterRegistry());
        List<StreamReader> takers = new ArrayList<>();
        StatementEvent event =
                new StatementEvent(new EventSession("app", "", 1), null, null, null, 0, 0, 0, 0, 0, 0, null);
        try (PublishedStream.Reader reader = stream.open(Map.of(), () -> {})) {
            stream.offer(event, takers);
            stream.config(config(Literals.KEEP));
            stream.offer(event, takers);
            assertThat(new String(reader.take(), StandardCharsets.UTF_8)).containsOnlyOnce("Quit");
            stream.offer(event, takers);
            assertThat(reader.take()).isNull();
            assertThat(reader.ended()).isTrue();
        }
    }
}
