package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.testkit.CapturedLog;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RESET MASTER begins the numbers anew: what was written before and after it has the same ones. */
@Timeout(120)
class ResetMasterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void whatIsWrittenBehindAResetIsListed() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            prepare(pair);
            try (CapturedLog log = new CapturedLog();
                    BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 100ms")) {
                proxy.awaitReading();
                try (Connection app = proxy.connect();
                        Statement statement = app.createStatement()) {
                    for (int i = 1; i <= 3; i++) {
                        statement.execute("INSERT INTO t VALUES (" + i + ")");
                    }
                    pair.awaitCaughtUp(PATIENCE);
                    await("the proxy has seen that")
                            .atMost(PATIENCE)
                            .until(() -> proxy.lostNow().number("kept", "transactions") == 0);
                    pair.link().refuse();
                    pair.link().cut();
                    statement.execute("RESET MASTER");
                    for (int i = 11; i <= 21; i++) {
                        statement.execute("INSERT INTO t VALUES (" + i + ")");
                    }
                    await().atMost(PATIENCE)
                            .untilAsserted(
                                    () -> assertThat(missing(proxy.lostNow())).isEqualTo(11));
                    assertThat(log.text()).contains("was reset through this proxy (RESET MASTER)");
                }
            }
        }
    }

    /** Not through the proxy, and long before the next probe: an OK through it has a number that was read before. */
    @Test
    void anOkTellsOfAResetThatNoSessionOfTheProxyMade() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            prepare(pair);
            try (BlackBoxProxy proxy = BlackBoxProxy.start(pair, "memory: 64MiB, poll: 60s")) {
                proxy.awaitReading();
                pair.link().refuse();
                pair.link().cut();
                pair.primary().execute("RESET MASTER");
                try (Connection app = proxy.connect();
                        Statement statement = app.createStatement()) {
                    for (int i = 1; i <= 2; i++) {
                        long rows = i;
                        statement.execute("INSERT INTO t VALUES (" + i + ")");
                        await().atMost(PATIENCE)
                                .untilAsserted(() ->
                                        assertThat(missing(proxy.lostNow())).isEqualTo(rows));
                    }
                }
                assertThat(String.valueOf(proxy.lostNow().all().get("notKnown")))
                        .contains("--compared");
            }
        }
    }

    private static void prepare(EmbeddedPair pair) {
        pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)");
        pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON *.*");
        pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.awaitCaughtUp(PATIENCE);
    }

    private static long missing(LostView lost) {
        return lost.number("answeredAndMissing", "count");
    }
}
