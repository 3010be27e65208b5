package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks which statements {@code commit-latency} counts as commits, and of which kind, if the first keyword alone does
 * not tell.
 */
@Tag("long")
@Timeout(120)
class CommitKindsTest {
    /** With a binary log the server reports the GTID of each commit. Without one, commits are inferred. */
    @ParameterizedTest
    @CsvSource({"--log-bin=binlog", "--skip-log-bin"})
    void distributedTransactionsAndSavepoints(String binlog) throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(1).withArguments(binlog))) {
            server.execute(
                    "CREATE DATABASE shop",
                    "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY)",
                    "CREATE USER monitor IDENTIFIED BY '" + CommitProxy.PASSWORD + "'",
                    "GRANT REPLICATION SLAVE ON *.* TO monitor",
                    "CREATE USER app IDENTIFIED BY '" + CommitProxy.PASSWORD + "'",
                    "GRANT ALL ON shop.* TO app");
            try (CommitProxy proxy = new CommitProxy(server.address(), "");
                    Connection application = proxy.connect("app", "");
                    Statement statement = application.createStatement()) {
                run(statement, "XA START 'a'", "INSERT INTO t VALUES ()", "XA END 'a'", "XA PREPARE 'a'");
                run(statement, "XA ROLLBACK 'a'");
                run(statement, "XA START 'b'", "INSERT INTO t VALUES ()", "XA END 'b'", "XA PREPARE 'b'");
                // Sent by another session, because this one may run no statement now. Commits are counted in order, so
                // the earlier ones are counted once this one is.
                try (Connection other = proxy.connect("app", "");
                        Statement there = other.createStatement()) {
                    run(there, "INSERT INTO t VALUES ()");
                }
                await().until(() -> proxy.timed("autocommit") > 0);
                assertThat(proxy.timed("commit")).as("prepared or rolled back").isZero();

                run(statement, "XA COMMIT 'b'");
                await().until(() -> proxy.timed("commit") == 1);
                run(statement, "XA START 'c'", "INSERT INTO t VALUES ()", "XA END 'c'", "XA COMMIT 'c' ONE PHASE");
                await().until(() -> proxy.timed("commit") == 2);
                run(statement, "BEGIN", "INSERT INTO t VALUES ()", "SAVEPOINT s", "INSERT INTO t VALUES ()");
                run(statement, "ROLLBACK WORK TO SAVEPOINT s", "COMMIT");
                await().until(() -> proxy.timed("commit") == 3);
                run(statement, "BEGIN", "INSERT INTO t VALUES ()", "ROLLBACK");
                run(statement, "INSERT INTO t VALUES ()");
                await().until(() -> proxy.timed("autocommit") == 2);
                assertThat(proxy.timed("commit")).isEqualTo(3);
                assertThat(proxy.timed("ddl")).isZero();
            }
        }
    }

    private static void run(Statement statement, String... sql) throws Exception {
        for (String one : sql) {
            statement.execute(one);
        }
    }
}
