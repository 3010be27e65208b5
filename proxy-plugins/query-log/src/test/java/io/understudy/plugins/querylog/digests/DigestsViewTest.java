package io.understudy.plugins.querylog.digests;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.DigestNotes;
import io.understudy.testkit.FakeExchange;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DigestsViewTest {
    private final DigestTable table = new DigestTable(2000, Clock.systemUTC(), System::nanoTime);
    private final DigestNotes notes = new DigestNotes();
    private final AtomicInteger asked = new AtomicInteger();

    private List<?> rows(int digests) {
        notes.add("mirror", digest -> Map.of("asked", asked.incrementAndGet()));
        DigestKey probe = new DigestKey();
        for (int i = 0; i < digests; i++) {
            table.of(FakeExchange.to("SELECT 1 AS a" + i), probe).record(0, 1000, 0, 1, 0, 100, 1, "app", "shop");
        }
        return (List<?>)
                Objects.requireNonNull(DigestsView.of(table, notes, true).get("digests"));
    }

    /** As every ten seconds for {@code report failover}. */
    @Test
    void whoReadsFiguresAsksNoPlugin() {
        for (Object each : rows(1000)) {
            Map<?, ?> row = (Map<?, ?>) each;
            assertThat(row.get("digest")).isInstanceOf(String.class);
            assertThat(row.get("kind")).isEqualTo("select");
            assertThat(row.get("text")).isNotNull();
            assertThat(row.get("count")).isEqualTo(1L);
            assertThat(row.get("errors")).isEqualTo(0L);
            assertThat(row.get("seconds")).isInstanceOf(Map.class);
        }
        assertThat(asked).hasValue(0);
    }

    @Test
    void whoReadsARowGetsThePluginsNotesOnce() {
        Map<?, ?> row = (Map<?, ?>) rows(1).get(0);
        assertThat(row.keySet()).hasSize(row.size());
        assertThat((Map<?, ?>) row.get("mirror")).isEqualTo(Map.of("asked", 1));
        assertThat(asked).hasValue(1);
    }

    @Test
    void notesAreBounded() {
        for (Object row : rows(1500)) {
            assertThat(((Map<?, ?>) row).entrySet()).isNotEmpty();
        }
        assertThat(asked).hasValue(1000);
    }
}
