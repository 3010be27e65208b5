package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.steering.LiveAdvice;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.Workload;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What {@code report steering -c} says of MySQL: {@code -Dunderstudy.it.mysql=DIR}. */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(300)
class SteeringAdviceMySqlTest {
    /** Its standbys were held up by nothing else: there is no advice, and not because nothing held them up. */
    @Test
    void anIdlePrimaryIsKnownForWhatItIs() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            UnderstudyConfig config = ConfigLoader.load(
                            """
                            listen: {address: 127.0.0.1:0}
                            primary:
                              address: 127.0.0.1:%d
                              monitor: {user: monitor, password: '%s'}
                            standbys:
                              - {name: s, address: '127.0.0.1:%d', user: monitor, password: '%s'}
                            """.formatted(
                                            pair.address().getPort(),
                                            CommitProxy.PASSWORD,
                                            pair.replica().getPort(),
                                            CommitProxy.PASSWORD),
                            "test.yaml",
                            Map.of(),
                            name -> null)
                    .config();
            Workload workload = new Workload(5_000, ApplyCost.DEFAULT);
            try (LiveAdvice live = new LiveAdvice(config, null, workload)) {
                live.await(Duration.ofSeconds(20));
                assertThat(live.view().get("problem")).asString().startsWith("the primary is a MySQL server");
            }
            assertThat(workload.added()).isZero();
        }
    }
}
