package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.plugin.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the binary log of real servers tells of statements whose response the proxy has not seen. */
@Tag("long")
class LostStatementServerTest extends FollowingProxy {
    final UnansweredPlugin plugin = new UnansweredPlugin();

    String format() {
        return "MIXED";
    }

    @Override
    PairOptions options() {
        return super.options()
                .withPrimary(ServerOptions.of(1).withArguments("--binlog-format=" + format()))
                .withStandby(ServerOptions.of(2).withArguments("--binlog-format=" + format()));
    }

    ProxyUnderTest proxy() throws Exception {
        old.execute("GRANT PROCESS, REPLICA MONITOR ON *.* TO monitor");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        return ProxyUnderTest.start(config(address(old), "plugins: { unanswered: {} }"), plugin);
    }

    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    static String insert(String name) {
        return UnansweredPlugin.mark(name) + "INSERT INTO t (v) VALUES ('" + name + "')";
    }

    private static void refused(Connection connection, String name) {
        assertThatThrownBy(() -> run(connection, UnansweredPlugin.mark(name) + "INSERT INTO t (id, v) VALUES (1, '')"))
                .hasMessageContaining("Duplicate");
    }

    Outcome outcome(String name) throws Exception {
        return plugin.outcome(name).get(60, TimeUnit.SECONDS);
    }

    private void committed(String name) throws Exception {
        assertThat(outcome(name)).as(name).isInstanceOf(Outcome.Committed.class);
    }

    private void notCommitted(String name) throws Exception {
        assertThat(outcome(name)).as(name).isInstanceOf(Outcome.NotCommitted.class);
    }

    @Test
    void theServerLives() throws Exception {
        try (ProxyUnderTest proxy = proxy()) {
            try (Connection one = connect(proxy);
                    Connection other = connect(proxy);
                    Connection third = connect(proxy)) {
                write(one, "before");
                run(one, insert("autocommit"));
                run(other, "BEGIN", "INSERT INTO t (v) VALUES ('x')");
                run(other, UnansweredPlugin.token("commit") + "UPDATE t SET v = 'y' WHERE v = 'x'");
                run(other, UnansweredPlugin.mark("commit") + "COMMIT");
                refused(third, "nothing");
            }
            committed("autocommit");
            committed("commit");
            notCommitted("nothing");
        }
    }

    /** With these variables the log lacks what a session commits, or has it under another name. */
    @Test
    void aSessionThatHidesFromTheLogIsUnknown() throws Exception {
        old.execute("GRANT BINLOG ADMIN, BINLOG REPLAY ON *.* TO app");
        try (ProxyUnderTest proxy = proxy()) {
            List<String> variables = List.of(
                    "SET sql_log_bin = 0",
                    "SET @@session.pseudo_thread_id = 4711",
                    "SET SESSION server_id = 99",
                    "EXECUTE IMMEDIATE 'SET sql_log_bin = 0'",
                    "BEGIN NOT ATOMIC SET sql_log_bin = 0; END");
            for (String variable : variables) {
                try (Connection hidden = connect(proxy)) {
                    run(hidden, variable, insert("hidden" + variables.indexOf(variable)));
                }
            }
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v LIKE 'hidden%'"))
                    .isEqualTo("5");
            for (String variable : variables) {
                assertThat(outcome("hidden" + variables.indexOf(variable)))
                        .as(variable)
                        .isInstanceOf(Outcome.Unknown.class);
            }
        }
    }

    /** A server goes on with a statement whose connection is gone. */
    @Test
    void theConnectionIsCutWhileItWaitsForALock() throws Exception {
        try (ProxyUnderTest proxy = proxy();
                Connection holder = old.connect()) {
            write(connect(proxy), "row");
            run(holder, "BEGIN", "DELETE FROM shop.t WHERE v = 'row'");
            Connection cut = connect(proxy);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    run(cut, UnansweredPlugin.mark("waiting") + "UPDATE t SET v = 'late' WHERE v = 'row' OR id > 0");
                } catch (SQLException e) {
                    // it was cut
                }
            });
            await().until(() -> old.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                            + " WHERE INFO LIKE '%late%' AND INFO NOT LIKE '%PROCESSLIST%'")
                    .equals("1"));
            cut.abort(Runnable::run);
            waiting.exceptionally(failed -> null).join();
            run(holder, "ROLLBACK");
            assertThat(outcome("waiting")).isNotInstanceOf(Outcome.Unknown.class);
            boolean there =
                    old.query("SELECT COUNT(*) FROM shop.t WHERE v = 'late'").equals("1");
            assertThat(outcome("waiting") instanceof Outcome.Committed).isEqualTo(there);
        }
    }

    private void lose(ProxyUnderTest proxy) throws Exception {
        try (Connection one = connect(proxy);
                Connection other = connect(proxy);
                Connection third = connect(proxy);
                Connection fourth = connect(proxy)) {
            for (Connection each : List.of(one, other, third)) {
                write(each, "before");
            }
            run(other, "BEGIN", UnansweredPlugin.token("commit") + "INSERT INTO t (v) VALUES ('x')");
            run(third, "BEGIN", "INSERT INTO t (v) VALUES ('open')");
            long opened = old.status("Uptime"); // it counts seconds: sessions that are younger are unknown
            await().until(() -> old.status("Uptime") > opened + 2);
            run(one, insert("autocommit"));
            run(other, UnansweredPlugin.mark("commit") + "COMMIT");
            refused(fourth, "nothing");
            run(third, insert("within"));
            pair.awaitCaughtUp(Duration.ofSeconds(30));
            old.kill();
        }
    }

    private void judged() throws Exception {
        committed("autocommit");
        committed("commit");
        notCommitted("nothing");
        notCommitted("within");
    }

    @Test
    void theServerIsKilledAndRestarted() throws Exception {
        try (ProxyUnderTest proxy = proxy()) {
            lose(proxy);
            old.restart();
            judged();
        }
    }

    @Test
    void theServerIsKilledAndAnotherOneFollows() throws Exception {
        try (ProxyUnderTest proxy = proxy()) {
            lose(proxy);
            promote();
            promoted.execute("RESET SLAVE ALL");
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            judged();
        }
    }
}
