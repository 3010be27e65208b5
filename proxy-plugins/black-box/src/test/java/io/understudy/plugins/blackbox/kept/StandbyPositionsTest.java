package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.reset.Receivers;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The primary is asked with each probe whether it has begun anew. */
class StandbyPositionsTest extends BlackBoxHarness {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();
    private boolean silent;
    private Runnable during = () -> {};
    private @Nullable String position = "0-1-10";
    private @Nullable String primary = "0-1-10";
    private final StandbyPositions positions = new StandbyPositions(
            ScriptedStandby.object(
                    PluginContext.class,
                    (name, arguments) -> name.equals("primary")
                            ? ScriptedStandby.object(Primary.class, (asked, nothing) -> silent)
                            : List.of(ScriptedStandby.of("server-2", this::row))),
            box,
            this::facts,
            new Receivers(),
            dead::incrementAndGet);

    private PrimaryFacts facts() throws SQLException {
        asked.incrementAndGet();
        during.run();
        String at = primary;
        if (at == null) {
            throw new SQLException("dead");
        }
        return primary(1, at);
    }

    private List<String> row() throws SQLException {
        String at = position;
        if (at == null) {
            throw new SQLException("down");
        }
        return List.of(at, "", "1", "host:3306:2");
    }

    private void probe(@Nullable String at) {
        position = at;
        positions.run();
    }

    /** Its stream may stay open and silent. */
    @Test
    void aStreamOfAPrimaryThatHasBegunAnewIsDead() {
        start(1, "0-1-10");
        probe("0-1-9");
        probe("0-1-10");
        assertThat(dead).hasValue(0);
        primary = "0-1-4";
        probe("0-1-10");
        assertThat(dead).hasValue(1);
        assertThat(positions.areRenumbered()).isTrue();
        probe("");
        box.compared(survivor("", "", ""), null, false);
        probe("0-1-3");
        assertThat(positions.areRenumbered()).isFalse();
    }

    /** It may be ahead of what was read, and more may be read before it responds. */
    @Test
    void whatArrivesWhileThePrimaryIsAskedProvesNothing() {
        start(1, "0-1-10");
        primary = "0-1-12";
        during = () -> {
            event("g", true);
            box.onTransaction(write(0, 1, 13));
        };
        probe("0-1-10");
        assertThat(dead).hasValue(0);
    }

    @Test
    void aPrimaryThatDoesNotRespondProvesNothing() {
        start(1, "0-1-10");
        primary = null;
        probe("0-1-10");
        assertThat(asked).hasValue(1);
        assertThat(dead).hasValue(0);
    }
}
