package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.rebuild.TableRebuild.ConnectionLostException;
import io.understudy.servers.ServerQueries;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a watch concludes from the states of a connection. */
class WatchTest {
    private static final String LOCK = "Waiting for table metadata lock";
    private static final Bounds BOUNDS =
            new Bounds(Duration.ofSeconds(1), Duration.ofSeconds(10), 32, 128, Duration.ofSeconds(10));

    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final List<List<String>> script = new ArrayList<>();
    private final StringWriter log = new StringWriter();
    private String ddl = "";
    private int probes;
    private boolean fails;

    private final FakeJdbcServer server = new FakeJdbcServer() {
        @Override
        List<String> row(String sql) throws SQLException {
            if (sql.contains("VERSION()")) {
                return List.of("10.11.6-MariaDB");
            }
            if (sql.contains("CONNECTION_ID()") && !sql.contains("PROCESSLIST")) {
                return List.of("7");
            }
            if (sql.contains("PROCESSLIST WHERE ID = 7")) {
                return next();
            }
            if (sql.contains("PROCESSLIST")) {
                return ddl.isEmpty() ? List.of() : List.of(ddl);
            }
            if (sql.contains("SLAVES STATUS")) {
                return List.of("0");
            }
            return sql.contains("Threads_running")
                    ? List.of("Threads_running", "2")
                    : sql.contains("read_only") ? List.of("ON") : List.of();
        }
    };

    /** Returns the next state. After the last one the statement is over, as the script of the test says. */
    private List<String> next() {
        if (probes < script.size()) {
            return script.get(probes++);
        }
        if (fails) {
            return List.of();
        }
        result.complete("");
        return List.of("Sleep", "");
    }

    private void states(int times, String state) {
        for (int i = 0; i < times; i++) {
            script.add(List.of("Query", state));
        }
    }

    private void watch() throws Exception {
        StandbyQueries standby = new StandbyQueries(new ServerQueries(server.connection()));
        ProgressOutput journal = new ProgressOutput(new PrintWriter(log, true), false);
        Worker worker = Worker.of(server.connection());
        server.executed.clear();
        DefragmentationRun run = new DefragmentationRun(
                standby,
                worker,
                server::connection,
                new Defragmentation.Options(BOUNDS, null, false, false, false),
                new CountDownLatch(1),
                journal);
        new Watch(run, new TableRebuild(run, new Subject("shop", "orders", 1, false), System::nanoTime)).until(result);
    }

    @Test
    void endsAWaitForTheTableBeforeTheBeginning() throws Exception {
        states(3, LOCK);

        watch();

        assertThat(server.executed).contains("KILL QUERY 7");
    }

    /** MariaDB calls the state of REBUILD PARTITION "setup", and its copy would be lost. */
    @Test
    void letsAPartitionWaitForTheTableAtItsEnd() throws Exception {
        states(3, "setup");
        states(4, LOCK);

        watch();

        assertThat(server.executed).isEmpty();
    }

    @Test
    void doesNotAddUpSeparateWaits() throws Exception {
        for (int i = 0; i < 4; i++) {
            states(1, LOCK);
            states(1, "Opening tables");
        }

        watch();

        assertThat(server.executed).isEmpty();
    }

    /** CHECKSUM TABLE has no state. */
    @Test
    void probesAStatementThatHasBegunFiveTimesASecond() throws Exception {
        states(8, "");
        long start = System.nanoTime();

        watch();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1000));
    }

    @Test
    void endsAPartitionThatReplicationWaitsFor() throws Exception {
        states(5, "setup");
        ddl = "RENAME TABLE shop.orders TO shop.old";

        watch();

        assertThat(server.executed).contains("KILL QUERY 7");
    }

    /** The server does not notice the loss, and would finish the statement. */
    @Test
    void endsTheStatementOfALostConnectionAndWaitsUntilItIsGone() {
        states(3, "altering table");
        fails = true;
        result.completeExceptionally(new SQLNonTransientConnectionException("unexpected end of stream", "08000"));

        assertThatThrownBy(this::watch)
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("unexpected end of stream")
                .hasMessageContaining("does not run on the server any more");
        assertThat(server.executed).containsExactly("KILL CONNECTION 7", "KILL CONNECTION 7", "KILL CONNECTION 7");
        assertThat(log.toString()).contains("shop.orders: the connection that rebuilds it is lost");
    }
}
