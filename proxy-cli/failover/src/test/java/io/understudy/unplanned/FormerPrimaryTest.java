package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.servers.ReplicaStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which server was the primary when all proxies follow the standby already. */
class FormerPrimaryTest {
    private static final Address STANDBY = Address.parse("db2:3306");
    private static final List<ReplicaStatus> NONE = List.of();
    private static final List<ReplicaStatus> FROM_DB1 =
            List.of(new ReplicaStatus(Map.of("master_host", "db1", "master_port", "3306")));

    private static String former(String primary, List<ReplicaStatus> sources, String... before) throws Exception {
        UnderstudyConfig config = ConfigLoader.load("""
                        listen: { address: "127.0.0.1:0" }
                        primary: { %s, monitor: { user: m, password: p } }
                        standbys:
                          - { name: s2, address: "db2:3306", user: u }
                          - { name: s3, address: "db3:3306", user: u }
                        """.formatted(primary), "test.yaml", Map.of(), name -> null)
                .config();
        return Takeover.former(config.standby("s2"), sources, List.of(before), config)
                .toString();
    }

    @Test
    void theFirstCandidateIsNotTakenForIt() throws Exception {
        assertThat(former("candidates: [ \"db3:3306\", \"db2:3306\", \"db1:3306\" ]", FROM_DB1))
                .isEqualTo("db1:3306");
        assertThat(former("candidates: [ \"db2:3306\", \"db1:3306\", \"db3:3306\" ]", FROM_DB1))
                .isEqualTo("db1:3306");
    }

    @Test
    void withoutAReplicationConnectionTheOnlyCandidateLeftIsIt() throws Exception {
        assertThat(former("candidates: [ \"db3:3306\", \"db2:3306\", \"db1:3306\" ]", NONE))
                .isEqualTo("db1:3306");
        assertThat(former("candidates: [ \"db4:3306\", \"db2:3306\", \"db1:3306\" ]", NONE))
                .as("nothing tells")
                .isEqualTo(STANDBY.toString());
    }

    @Test
    void aProxyThatHasFollowedKnowsIt() throws Exception {
        String candidates = "candidates: [ \"db3:3306\", \"db2:3306\", \"db1:3306\", \"db4:3306\" ]";
        assertThat(former(candidates, NONE, "null", "db2:3306", "db4:3306")).isEqualTo("db4:3306");
        assertThat(former(candidates, FROM_DB1, "db3:3306"))
                .as("of an earlier change")
                .isEqualTo("db1:3306");
        assertThat(former(candidates.replace("db1", "10.0.0.1"), FROM_DB1, "10.0.0.1:3306"))
                .as("by another name")
                .isEqualTo("10.0.0.1:3306");
        assertThat(former(candidates, NONE, "null")).isEqualTo(STANDBY.toString());
    }

    @Test
    void anAddressOfTheFileIsIt() throws Exception {
        assertThat(former("address: \"db9:3306\"", FROM_DB1)).isEqualTo("db9:3306");
        assertThat(former("address: \"db2:3306\"", FROM_DB1)).isEqualTo("db1:3306");
        assertThat(former("address: \"db2:3306\"", NONE)).isEqualTo(STANDBY.toString());
    }
}
