package io.understudy.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.servers.ServerQueries;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuperReadOnlyTest {
    private static final String RAISE = "SET GLOBAL super_read_only = 1";

    private final StringWriter log = new StringWriter();
    private boolean readOnly = true;
    private boolean lost;
    private boolean unreachable;
    private int comesBackAfter = Integer.MAX_VALUE;
    private int tries;
    private Duration patience = Duration.ZERO;

    private final FakeJdbcServer first = new Server() {
        @Override
        boolean lost() {
            return lost;
        }
    };
    private final FakeJdbcServer second = new Server();

    private class Server extends FakeJdbcServer {
        boolean lost() {
            return false;
        }

        @Override
        List<String> row(String sql) throws SQLException {
            if (lost()) {
                throw new SQLException("connection lost");
            }
            return sql.contains("VERSION()") ? List.of("9.7.4") : List.of(readOnly ? "ON" : "OFF");
        }
    }

    private SuperReadOnly lowered() throws Exception {
        SuperReadOnly superReadOnly = new SuperReadOnly(
                new StandbyQueries(new ServerQueries(first.connection())),
                () -> {
                    if (unreachable && ++tries < comesBackAfter) {
                        throw new SQLException("unreachable");
                    }
                    return second.connection();
                },
                new ProgressOutput(new PrintWriter(log, true), false),
                patience,
                Duration.ofMillis(1));
        assertThat(superReadOnly.left()).isEmpty();
        superReadOnly.lower();
        assertThat(first.executed).containsExactly("SET GLOBAL super_read_only = 0");
        first.executed.clear();
        return superReadOnly;
    }

    @Test
    void isRaisedAtTheEnd() throws Exception {
        lowered().raise();

        assertThat(first.executed).containsExactly(RAISE);
        assertThat(log.toString()).contains("super_read_only is 1 again");
    }

    @Test
    void isRaisedOverAnotherConnectionIfTheFirstIsLost() throws Exception {
        SuperReadOnly lowered = lowered();
        lost = true;

        lowered.raise();

        assertThat(second.executed).containsExactly(RAISE);
    }

    /** The statement would set read_only too, and the application could no longer write. */
    @Test
    void isLeftAloneOnAServerThatBecameThePrimary() throws Exception {
        SuperReadOnly lowered = lowered();
        readOnly = false;

        lowered.raise();

        assertThat(first.executed).isEmpty();
        assertThat(log.toString()).contains("super_read_only stays 0: this server was made writable meanwhile");
    }

    @Test
    void tellsTheStatementIfTheServerCannotBeReached() throws Exception {
        SuperReadOnly lowered = lowered();
        lost = true;
        unreachable = true;

        assertThatThrownBy(lowered::raise).hasMessage("unreachable");
        assertThat(log.toString()).contains("super_read_only is still 0 (unreachable); there: " + RAISE);
        assertThat(lowered.left()).contains("super_read_only is still 0", RAISE);
    }

    /** A network that is silent for some seconds must not leave the setting behind. */
    @Test
    void triesAgainUntilTheServerCanBeReached() throws Exception {
        patience = Duration.ofMinutes(1);
        SuperReadOnly lowered = lowered();
        lost = true;
        unreachable = true;
        comesBackAfter = 3;

        lowered.raise();

        assertThat(second.executed).containsExactly(RAISE);
        assertThat(log.toString())
                .contains("super_read_only is still 0 (unreachable)", "trying again for 60 s")
                .contains("super_read_only is 1 again");
        assertThat(lowered.left()).isEmpty();
    }
}
