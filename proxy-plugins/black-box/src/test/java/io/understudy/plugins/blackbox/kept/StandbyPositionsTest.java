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
    private String logged = "";
    private boolean promoted;
    private @Nullable List<String> former;
    private @Nullable String position = "0-1-10";
    private @Nullable String primary = "0-1-10";
    private final StandbyPositions positions = new StandbyPositions(
            ScriptedStandby.object(
                    PluginContext.class,
                    (name, arguments) -> name.equals("primary")
                            ? ScriptedStandby.object(Primary.class, (asked, nothing) -> silent)
                            : List.of(
                                    ScriptedStandby.of("server-1", this::formerRow, () -> !promoted),
                                    ScriptedStandby.of("server-2", this::row, () -> promoted))),
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
        return List.of(at, logged, "1", "host:3306:2");
    }

    private List<String> formerRow() throws SQLException {
        List<String> row = former;
        if (row == null) {
            throw new SQLException("down");
        }
        return row;
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

    /** It comes back with what the one that was promoted without it has never had. */
    @Test
    void whatThePromotedServerLacksStaysWhenTheOldPrimaryIsBack() {
        start(1, "0-1-10");
        transaction(11);
        primary = "0-1-11";
        probe("0-1-10");
        promoted = true;
        start(2, "0-1-10", "0-1-10");
        transaction(2, 11, "own");
        former = List.of("", "0-1-11,0-2-11", "1", "host:3306:1");
        logged = "0-1-10,0-2-11";
        probe("0-1-10");
        assertThat(gtids(on("0-1-10").missing)).containsExactly("0-1-11");
        assertThat(box.transactions()).as("its own is on all others").isEqualTo(1);
        logged = "0-1-11,0-2-11";
        probe("0-1-10");
        assertThat(box.transactions()).as("rescued").isZero();
    }

    /** Unknown is not yes. */
    @Test
    void nothingIsReleasedWhileThePromotedServerDoesNotSayWhatItHas() {
        start(1, "0-1-10");
        transaction(11);
        promoted = true;
        former = List.of("", "0-1-11", "1", "host:3306:1");
        probe(null);
        assertThat(box.transactions()).isEqualTo(1);
        logged = "0-1-11";
        probe("0-1-10");
        assertThat(box.transactions()).isZero();
    }
}
