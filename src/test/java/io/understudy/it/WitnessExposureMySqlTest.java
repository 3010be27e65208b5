package io.understudy.it;

import static io.understudy.it.WitnessExposureTest.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** {@link WitnessExposureTest} on MySQL. */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(300)
class WitnessExposureMySqlTest {
    /** With that mode a backslash in a LIKE is no escape: nothing would be found, as if no replica acknowledged. */
    @Test
    void acknowledgingReplicasAreSeenWithoutBackslashEscapes() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection source = pair.connect();
                Statement statement = source.createStatement()) {
            statement.execute("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
            ServerQueries queries = new ServerQueries(source);
            await().atMost(PATIENCE).until(() -> SemiSyncPair.status(statement, "Rpl_semi_sync_source_clients") == 1);
            assertThat(SemiSyncSource.of(queries).clients()).isEqualTo(1);
        }
    }

    @Test
    void onlyWhatTheWitnessDoesNotHaveIsExposed() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection source = pair.connect();
                Statement statement = source.createStatement()) {
            statement.execute("SET GLOBAL rpl_semi_sync_source_timeout = 1000");
            statement.execute("CREATE TABLE shop.t (n INT PRIMARY KEY, filler LONGBLOB)");
            try (BlackBoxProxy proxy = BlackBoxProxy.start(
                    pair.address(),
                    pair.replica(),
                    WitnessExposureTest.WITNESS,
                    "preferred",
                    WitnessExposureTest.MEASURED)) {
                WitnessExposureTest.awaitWitness(proxy, "present", "");
                pair.link().refuse();
                pair.link().cut();
                WitnessExposureTest.insert(proxy, 0, 50, 10);
                WitnessExposureTest.awaitTimed(proxy, 50);
                // MySQL notices it when it sends something.
                await().atMost(PATIENCE)
                        .until(() -> SemiSyncPair.status(statement, "Rpl_semi_sync_source_clients") == 1);
                assertThat(WitnessExposureTest.counted(proxy)).isZero();

                WitnessExposureTest.insert(proxy, 100, 1, 700_000);
                await().atMost(PATIENCE).until(() -> WitnessExposureTest.exposed(proxy));
                WitnessExposureTest.awaitWitness(proxy, "present", "");
                WitnessExposureTest.insert(proxy, 101, 1, 10);
                await().atMost(PATIENCE)
                        .until(() -> "on"
                                .equals(WitnessExposureTest.commits(proxy, "semisync")
                                        .get("state")));
                WitnessExposureTest.awaitTimed(proxy, 52);
                long before = WitnessExposureTest.counted(proxy);
                WitnessExposureTest.insert(proxy, 200, 20, 10);
                WitnessExposureTest.awaitTimed(proxy, 72);
                assertThat(WitnessExposureTest.counted(proxy)).isEqualTo(before);
                assertThat(WitnessExposureTest.exposed(proxy)).isTrue();

                pair.link().resume();
                await().atMost(PATIENCE).until(() -> !WitnessExposureTest.exposed(proxy));
            }
        }
    }
}
