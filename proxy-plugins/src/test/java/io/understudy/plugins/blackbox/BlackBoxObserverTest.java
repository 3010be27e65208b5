package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BlackBoxObserverTest {
    private final BlackBox box = new BlackBox(new Chunks.Heap(), 2 << 20, () -> 1_000);
    private final SessionEvents events = new SessionEvents(box);
    private final BlackBoxObserver observer = new BlackBoxObserver(
            Fakes.of(
                    SessionContext.class,
                    Map.of("id", 7L, "serverThreadId", 70L, "user", "app", "schema", "shop", "capabilities", 0L)),
            events);

    private Iterable<String> answered(FakeExchange exchange) {
        box.onStart(new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-10"), false);
        observer.onCommand(exchange);
        observer.onResponse(exchange, exchange);
        events.run();
        Survivor survivor = Survivor.of(
                "s1", ServerFlavor.MARIADB, new ServerPositions.Reported("0-1-10", "", "", true), "for the test");
        return box.loss(survivor).notCaptured.keySet().stream().map(Gtid::text).toList();
    }

    @Test
    void eachResultOfATextOfSeveralStatementsIsAnOk() {
        assertThat(answered(FakeExchange.to("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
                        .gtid("0-1-11")
                        .earlierGtid("0-1-12", 1_500)))
                .containsExactly("0-1-11", "0-1-12");
    }

    @Test
    void anErrorAtTheEndLeavesTheOksBeforeIt() {
        assertThat(answered(FakeExchange.to("INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)")
                        .gtid("0-1-11")
                        .error(1062)))
                .containsExactly("0-1-11");
    }
}
