package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.servers.ServerQueries;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CopyTest {
    private long now;
    private int reads;

    private final FakeJdbcServer server = new FakeJdbcServer() {
        @Override
        List<String> row(String sql) {
            if (sql.contains("VERSION()")) {
                return List.of("11.4.5-MariaDB");
            }
            reads++;
            return List.of("7", Integer.toString(100 * reads));
        }
    };

    /** The server opens each table's entry for it. */
    @Test
    void readsTheViewOfTablespacesOnceASecondAtMost() throws Exception {
        Copy copy = new Copy(new StandbyQueries(new ServerQueries(server.connection())), () -> now);
        now = Long.MAX_VALUE - 5;

        assertThat(copy.bytes()).isEqualTo(100);
        now += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(copy.bytes()).isEqualTo(100);
        assertThat(reads).isEqualTo(1);
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(copy.bytes()).isEqualTo(200);
        assertThat(copy.spaces()).containsExactly(7L);
    }
}
