package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which connection sends a statement, and in which order. */
class MirrorOrderTest extends MirrorHarness {
    @Test
    void orderSessionKeepsASessionOnOneConnectionAndInOrder() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.SESSION));
        for (int i = 0; i < 30; i++) {
            offer(mirror, "SELECT 'even " + i + "'", 2);
            offer(mirror, "SELECT 'odd " + i + "'", 3);
            if (i % 7 == 0) {
                run(mirror);
            }
        }
        for (int i = 0; i < 10; i++) {
            run(mirror);
        }
        assertThat(standby.connections).hasSize(2);
        for (String session : List.of("even", "odd")) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                expected.add("SELECT '" + session + " " + i + "'");
            }
            assertThat(standby.connections)
                    .as("one connection has all of the %s session in order and nothing else", session)
                    .anySatisfy(connection -> assertThat(connection.selects()).containsExactlyElementsOf(expected));
        }
        mirror.stop();
    }

    /** The first waits for a name while the second, whose names are known by then, would be ready. */
    @Test
    void orderSessionHoldsWhileNamesWait() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.SESSION));
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        List<TableName> items = List.of(new TableName("shop", "items"));
        beforeResponse = () -> {
            beforeResponse = () -> {};
            offer(mirror, "SELECT 2 FROM items", 1, SETTING, items);
            offer(mirror, "SELECT 3 FROM orders", 1, SETTING, orders);
            offer(mirror, "SELECT 4", 1);
        };
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        while (!dictionaryQueries.isEmpty()) {
            dictionaryQueries.remove(0).run();
        }
        run(mirror);
        assertThat(standby.connections)
                .anySatisfy(connection -> assertThat(connection.selects())
                        .containsExactly(
                                "SELECT 1 FROM orders", "SELECT 2 FROM items", "SELECT 3 FROM orders", "SELECT 4"));
        mirror.stop();
    }

    @Test
    void orderNoneSpreadsASessionOverConnections() {
        StandbyMirror mirror = mirror(ordered(2, MirrorConfig.Order.NONE));
        standby.responding = false;
        // Several connections take statements in the first rounds, however large a batch has become.
        for (int i = 0; i < 4 * BatchSize.MAX; i++) {
            offer(mirror, "SELECT 'then " + i + "'", 1);
        }
        // One response of each connection at a time, so that both have work.
        for (int i = 0; i < 60; i++) {
            run(mirror);
            standby.connections.stream()
                    .filter(connection -> !connection.pending.isEmpty())
                    .forEach(FakeStandby.Connection::respondOne);
        }
        assertThat(standby.connections).hasSize(2);
        assertThat(standby.connections)
                .allSatisfy(connection -> assertThat(connection.selects()).isNotEmpty());
        mirror.stop();
    }
}
