package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.understudy.rebuild.Defragmentation.OwnTransactions;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnTransactionsTest {
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private String mode = "ON";
    private String logged = UUID + ":1-5";
    private boolean lost;

    private final FakeJdbcServer server = new FakeJdbcServer() {
        @Override
        List<String> row(String sql) throws SQLException {
            if (lost) {
                throw new SQLException("connection lost");
            }
            if (sql.contains("VERSION()")) {
                return List.of("9.7.4");
            }
            return sql.contains("gtid_mode")
                    ? List.of("gtid_mode", mode)
                    : sql.contains("server_uuid") ? List.of("server_uuid", UUID) : List.of("gtid_executed", logged);
        }
    };

    private OwnTransactions begun() throws SQLException {
        return new OwnTransactions(new StandbyQueries(new ServerQueries(server.connection())));
    }

    private static Connection unused() {
        return fail("no further connection is needed");
    }

    @Test
    void tellsWhatTheServerLogged() throws Exception {
        OwnTransactions own = begun();
        assertThat(own.meanwhile(OwnTransactionsTest::unused)).isEmpty();
        assertThat(OwnTransactions.line("")).isEqualTo("this server logged no transaction of its own");

        logged = UUID + ":1-6";

        assertThat(own.meanwhile(OwnTransactionsTest::unused))
                .isEqualTo("before: '" + UUID + ":1-5', now: '" + UUID + ":1-6'");
    }

    /** Without GTIDs the set of executed transactions is always empty, whatever was logged. */
    @Test
    void doesNotClaimToKnowWithoutGtids() throws Exception {
        mode = "OFF";
        logged = "";

        String errant = begun().meanwhile(OwnTransactionsTest::unused);

        assertThat(errant).isNull();
        assertThat(OwnTransactions.line(errant)).contains("is not known: gtid_mode");
        assertThat(new Defragmentation.Result(List.of(), errant, true, "").succeeded())
                .isTrue();
    }

    @Test
    void isNotKnownIfTheServerCannotBeReachedAnyMore() throws Exception {
        OwnTransactions own = begun();
        lost = true;

        String errant = own.meanwhile(() -> {
            throw new SQLException("unreachable");
        });

        assertThat(errant).isEqualTo("not known: unreachable");
        assertThat(new Defragmentation.Result(List.of(), errant, true, "").succeeded())
                .isFalse();
    }
}
