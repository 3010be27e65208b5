package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.lost.LostSource;
import io.understudy.remote.AdminClient;
import io.understudy.switchover.Node;
import io.understudy.switchover.ScriptedServer;
import io.understudy.switchover.StepFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A second standby beside the one that is to be promoted. */
class OtherStandbysTest {
    private final TakeoverFixture chosen = new TakeoverFixture();
    private final TakeoverFixture other = new TakeoverFixture();
    private final StandbyConfig config = new StandbyConfig(
            "s2",
            Address.parse("10.0.0.3:3306"),
            ServerTlsConfig.preferred(),
            Duration.ofSeconds(1),
            "mirror",
            Secret.parse(""));
    private @Nullable HttpServer proxy;

    OtherStandbysTest() {
        other.server = "3";
    }

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.stop(0);
        }
    }

    private List<LostSource> box(String response) throws IOException {
        HttpServer box = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        box.createContext("/api/lost/look", exchange -> {
            byte[] bytes = response.getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        box.start();
        proxy = box;
        return List.of(
                new LostSource(new AdminClient("127.0.0.1:" + box.getAddress().getPort(), "token"), null, List.of()));
    }

    private OtherStandbys standbys(List<LostSource> boxes, ScriptedServer.Script server) throws SQLException {
        Map<StandbyConfig, Node> all = new LinkedHashMap<>();
        all.put(config, new Node("s2", ScriptedServer.of(server)));
        return new OtherStandbys(chosen.takeover("10.0.0.1:3306", boxes), all);
    }

    private static Map<String, String> refuses(int connection, String sql) throws SQLException {
        throw new SQLException("refused");
    }

    private String compare() throws Exception {
        try (OtherStandbys all = standbys(List.of(), other)) {
            return all.compare().run();
        }
    }

    private String left(ScriptedServer.Script server) throws Exception {
        try (OtherStandbys all = standbys(List.of(), server)) {
            return all.left().run();
        }
    }

    /** A run that was killed did not say how, and the next one has to. */
    @Test
    void oneThatReplicatesFromAnotherServerIsToBePointedToTheChosenOne() throws Exception {
        other.source.put("master_server_id", "1");
        other.source.put("connection_name", "feed");
        assertThat(left(other))
                .contains(
                        "on 10.0.0.3:3306 (s2):",
                        "STOP SLAVE 'feed';",
                        "CHANGE MASTER 'feed' TO MASTER_HOST='10.0.0.2'");
        other.source.put("master_server_id", chosen.server);
        assertThat(left(other)).isEqualTo("nothing is left to do there");
        other.source.put("master_server_id", "0");
        other.source.put("master_host", "10.0.0.2");
        other.source.put("master_port", "3306");
        assertThat(left(other)).isEqualTo("nothing is left to do there");
        other.applier = "No";
        assertThat(left(other)).contains("If that connection was made after the promotion: START SLAVE 'feed'");
    }

    /** Its relay logs have it, which a new connection throws away. */
    @Test
    void oneThatIsGivenUpWithMoreIsToBeCompared() throws Exception {
        chosen.without = Set.of("s2");
        other.received = "0-1-6";
        assertThat(left(other))
                .isEqualTo("on 10.0.0.3:3306 (s2): compare it first, or build it anew: it has transactions that s1"
                        + " lacks: 0-1-6");
        other.received = "0-1-5";
        assertThat(left(other)).contains("CHANGE MASTER");
    }

    @Test
    void oneThatWasSilentIsComparedOnceItResponds() throws Exception {
        assertThat(left(OtherStandbysTest::refuses))
                .isEqualTo("on 10.0.0.3:3306 (s2): run this again once it responds, if it is a standby (s2: its"
                        + " position: refused)");
        other.replicated = "0-1-6";
        boolean[] silent = {true};
        ScriptedServer.Script back =
                (connection, sql) -> silent[0] ? refuses(connection, sql) : other.row(connection, sql);
        try (OtherStandbys all = standbys(List.of(), back)) {
            assertThat(all.claim(false).run()).contains("not asked: s2");
            silent[0] = false;
            assertThat(all.left().run()).contains("compare it first").doesNotContain("CHANGE MASTER");
        }
    }

    @Test
    void oneThatHasMoreIsToBePromoted() throws Exception {
        assertThat(compare()).isEqualTo("s2 has nothing more");
        other.replicated = "0-1-6";
        other.received = "0-1-6";
        assertThatThrownBy(this::compare)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("s2 (10.0.0.3:3306) has transactions that are not here: 0-1-6")
                .hasMessageContaining("--to s2");
    }

    /** They are gone with its relay logs if the chosen one is promoted. */
    @Test
    void whatIsReceivedCounts() {
        other.received = "0-1-7";
        assertThatThrownBy(this::compare).hasMessageContaining("0-1-7");
    }

    @Test
    void oneThatDoesNotTellWhatItHasReceivedStopsItAll() {
        other.received = null;
        assertThatThrownBy(this::compare)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("s2 (10.0.0.3:3306): what it has received is not known")
                .hasMessageContaining("--without s2");
    }

    /** Else what the other one has more would be lost by the promotion. */
    @Test
    void aFaultOfTheChosenOneIsNotTheOthersSilence() {
        other.replicated = "0-1-6";
        chosen.broken = true;
        assertThatThrownBy(this::compare).isInstanceOf(SQLException.class).hasMessageContaining("s1: its position");
    }

    @Test
    void oneThatIsGivenUpIsNotAsked() throws Exception {
        chosen.without = Set.of("s2");
        other.replicated = "0-1-6";
        assertThat(compare()).isEmpty();
    }

    @Test
    void oneThatDoesNotRespondIsSaid() throws Exception {
        try (OtherStandbys all = standbys(List.of(), OtherStandbysTest::refuses)) {
            assertThat(all.claim(false).run()).isEqualTo("not asked: s2: its position: refused");
            assertThat(all.compare().run()).isEqualTo("s2 has not been asked");
        }
    }

    /** The server, or who administrates it, has ended the idle connection meanwhile. */
    @Test
    void aLockThatWentWithItsConnectionIsTakenAgain() throws Exception {
        boolean[] ended = {false};
        List<String> first = new ArrayList<>();
        ScriptedServer.Script server = (connection, sql) -> {
            first.add(connection + " " + sql);
            return ended[0] && connection == 1 ? refuses(connection, sql) : other.row(connection, sql);
        };
        try (OtherStandbys all = standbys(List.of(), server)) {
            assertThat(all.claim(false).run()).isEqualTo("none is");
            ended[0] = true;
            assertThat(all.claim(false).run()).isEqualTo("none is");
            assertThat(first)
                    .contains("1 SET SESSION wait_timeout=86400", "2 SELECT GET_LOCK('understudy_failover', 0)");
            other.locks = false;
            assertThatThrownBy(() -> all.claim(false).run()).hasMessageContaining("another failover runs");
        }
    }

    /** The network has lost the connection, of which the server does not know yet. */
    @Test
    void aLockThatOurFormerConnectionHasIsNotAnotherFailovers() throws Exception {
        boolean[] broken = {false};
        List<String> holders = new ArrayList<>();
        ScriptedServer.Script server = new ScriptedServer.Script() {
            @Override
            public Map<String, String> row(int connection, String sql) throws SQLException {
                String own = String.valueOf(connection);
                if (broken[0] && connection == 1) {
                    return refuses(connection, sql);
                }
                if (sql.startsWith("SELECT GET_LOCK(")) {
                    if (holders.isEmpty()) {
                        holders.add(own);
                    }
                    return Map.of("lock", holders.contains(own) ? "1" : "0");
                }
                if (sql.startsWith("KILL ")) {
                    holders.remove(sql.substring(5));
                }
                return sql.equals("SELECT CONNECTION_ID()") ? Map.of("id", own) : other.row(connection, sql);
            }

            @Override
            public List<Map<String, String>> rows(int connection, String sql) throws SQLException {
                if (!sql.equals("SHOW PROCESSLIST")) {
                    return ScriptedServer.Script.super.rows(connection, sql);
                }
                List<Map<String, String>> sessions = new ArrayList<>();
                holders.forEach(each -> sessions.add(Map.of("Id", each)));
                return sessions;
            }
        };
        try (OtherStandbys all = standbys(List.of(), server)) {
            assertThat(all.claim(false).run()).isEqualTo("none is");
            broken[0] = true;
            assertThat(all.claim(false).run()).isEqualTo("none is");
            assertThat(holders).containsExactly("2");
        }
    }

    /** Positions of before the reset say nothing of what it has. */
    @Test
    void oneWithNumbersFromBeforeTheResetStopsItAll() throws Exception {
        List<LostSource> boxes = box("{\"notKnown\": [{\"renumbered\": true, \"what\": \"its numbers\"}]}");
        try (OtherStandbys all = standbys(boxes, other)) {
            assertThatThrownBy(() -> all.numbers().run())
                    .isInstanceOf(StepFailure.class)
                    .hasMessageContaining("s2 (10.0.0.3:3306) has numbers from before the primary's began anew")
                    .hasMessageContaining("--without s2");
        }
        chosen.without = Set.of("s2");
        try (OtherStandbys all = standbys(boxes, other)) {
            assertThat(all.numbers().run()).isEqualTo("they are the primary's, but for s2's");
            assertThat(all.left().run()).contains("(s2): build it anew").doesNotContain("CHANGE MASTER");
        }
    }

    @Test
    void oneThatIsWritableMayBeThePrimary() throws Exception {
        chosen.primary = OtherStandbysTest::refuses;
        other.readOnly = "0";
        other.receiver = "No";
        other.applier = "No";
        try (OtherStandbys all = standbys(List.of(), other)) {
            assertThatThrownBy(() -> all.claim(false).run())
                    .isInstanceOf(StepFailure.class)
                    .hasMessageContaining("is writable and does not replicate")
                    .hasMessageContaining("understudy switchover --to s1");
        }
        other.locks = false;
        try (OtherStandbys all = standbys(List.of(), other)) {
            assertThatThrownBy(() -> all.claim(false).run())
                    .hasMessageContaining("another failover runs: connection 7 of s2")
                    .hasMessageContaining("KILL 7");
        }
    }
}
