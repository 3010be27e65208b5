package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Primary;
import io.understudy.testkit.Fakes;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class FloorPollingTest {
    private final Deque<Runnable> queries = new ArrayDeque<>();
    private int connections;
    private final DataSource source = Fakes.of(DataSource.class, (proxy, method, arguments) -> {
        connections++;
        throw new SQLException("down");
    });
    private final Primary primary = Fakes.of(Primary.class, (proxy, method, arguments) -> source);
    private final FloorPolling polling = new FloorPolling(primary, queries::add);

    /** A frozen primary responds to no query for seconds: no thread of the plugin may wait for it, and none queue. */
    @Test
    void thePluginsThreadNeverWaitsForThePrimary() {
        polling.poll(source);
        polling.poll(source);
        assertThat(connections).isZero();
        assertThat(queries).as("one query at a time").hasSize(1);
        Objects.requireNonNull(queries.poll()).run();
        assertThat(connections).isEqualTo(1);
        assertThat(polling.floor().breaks()).isEqualTo(1);
        polling.poll(source);
        assertThat(queries).as("the next one").hasSize(1);
    }
}
