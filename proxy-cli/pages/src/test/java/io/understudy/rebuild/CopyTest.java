package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.servers.ServerQueries;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
            if (!sql.contains("FILE_SIZE")) {
                return List.of("7", "1");
            }
            reads++;
            return List.of("7", Integer.toString(100 * reads));
        }
    };

    /** The server opens each table's entry for it. */
    @Test
    void readsTheViewOfTablespacesOnceASecondAtMost() throws Exception {
        now = Long.MAX_VALUE - 5;
        DefragmentationRun run = new DefragmentationRun(
                new StandbyQueries(new ServerQueries(server.connection())),
                Worker.of(server.connection()),
                server::connection,
                new Defragmentation.Options(
                        new Bounds(Duration.ZERO, Duration.ZERO, 0, 0, Duration.ZERO), null, false, false, false),
                new CountDownLatch(1),
                new ProgressOutput(new PrintWriter(Writer.nullWriter()), false));
        TableRebuild copy = new TableRebuild(run, new Subject("shop", "orders", 1, false), () -> now);

        assertThat(copy.copied()).isEqualTo(100);
        now += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(copy.copied()).isEqualTo(100);
        assertThat(reads).isEqualTo(1);
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(copy.copied()).isEqualTo(200);
        assertThat(copy.copies()).containsExactly(7L);
    }
}
