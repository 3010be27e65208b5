package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StandbyProgressTest {
    private String position = "0-1-9,10-1-5";
    private boolean promoted;

    private final Connection connection = Fakes.of(Connection.class, (proxy, method, arguments) -> statement(position));
    private final DataSource source = Fakes.of(DataSource.class, (proxy, method, arguments) -> connection);
    private final Standby standby = Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
        case "name" -> "s1";
        case "dataSource" -> source;
        case "isPrimary" -> promoted;
        default -> null;
    });
    private final StandbyProgress standbys = progressOf(standby);

    private static StandbyProgress progressOf(Standby... standbys) {
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "meters" -> new SimpleMeterRegistry();
            case "standbys" -> List.of(standbys);
            default -> null;
        });
        return new StandbyProgress(context, new DomainIndexes(0), table -> List.of(), () -> 0);
    }

    private static Statement statement(@Nullable String position) {
        AtomicBoolean row = new AtomicBoolean(true);
        ResultSet rows = Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> row.getAndSet(false);
            case "getString" -> position;
            case "getInt" -> 0;
            case "getMetaData" -> Fakes.of(ResultSetMetaData.class, (columns, asked, none) -> 0);
            default -> null;
        });
        return Fakes.of(
                Statement.class, (proxy, method, arguments) -> method.getName().equals("executeQuery") ? rows : null);
    }

    /** A standby at a position, or one that does not answer where that is null. */
    private static Standby standby(String name, Map<String, String> positions) {
        Connection connection =
                Fakes.of(Connection.class, (proxy, method, arguments) -> statement(positions.get(name)));
        DataSource source = Fakes.of(DataSource.class, (proxy, method, arguments) -> {
            if (positions.get(name) == null) {
                throw new SQLException("no answer");
            }
            return connection;
        });
        return Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> name;
            case "dataSource" -> source;
            case "isPrimary" -> false;
            default -> null;
        });
    }

    /** It applies again what seemed to be applied everywhere, whether or not the other one answers. */
    @Test
    void aStandbyThatGoesBackIsSeenWhileAnotherDoesNotAnswer() throws SQLException {
        Map<String, String> positions = new HashMap<>(Map.of("s1", "0-1-9", "s2", "0-1-9"));
        StandbyProgress both = progressOf(standby("s1", positions), standby("s2", positions));
        both.probe(connection);
        assertThat(both.progress.applied(0)).isEqualTo(9);

        positions.put("s2", null);
        positions.put("s1", "0-1-4");
        assertThat(both.probe(connection)).contains("s2 cannot be queried");
        assertThat(both.progress.applied(0)).isEqualTo(4);

        positions.put("s1", "0-1-12");
        both.probe(connection);
        assertThat(both.progress.applied(0)).as("what the other one last had").isEqualTo(9);

        positions.put("s2", "0-1-3");
        assertThat(both.probe(connection)).isNull();
        assertThat(both.progress.applied(0)).as("it went back itself").isEqualTo(3);
    }

    /** No session waits there: MariaDB crashes if gtid_slave_pos is set meanwhile. */
    @Test
    void oneThatAppliesALittleLaterIsAskedAgain() throws SQLException {
        AtomicInteger looks = new AtomicInteger();
        Map<String, String> positions = new HashMap<>() {
            @Override
            public String get(Object name) {
                return looks.incrementAndGet() < 12 ? "0-1-8" : "0-1-9";
            }
        };
        StandbyProgress one = progressOf(standby("s1", positions));
        one.awaitApplied(connection);
        assertThat(one.progress.applied(0)).isEqualTo(9);
    }

    /** As failover.md advises: both servers are listed, and each is the primary in turn. */
    @Test
    void theEntryOfThePrimaryIsNoStandby() throws SQLException {
        Map<String, String> positions = new HashMap<>(Map.of("s2", "0-1-7"));
        Map<String, Boolean> roles = new HashMap<>(Map.of("s1", true, "s2", false));
        StandbyProgress both =
                progressOf(inRole(standby("s1", positions), roles), inRole(standby("s2", positions), roles));
        assertThat(both.probe(connection)).isNull();
        assertThat(both.progress.applied(0)).isEqualTo(7);

        roles.putAll(Map.of("s1", false, "s2", true));
        assertThat(both.probe(connection)).contains("s1 cannot be queried");
        assertThat(both.progress.applied(0)).as("not known of the new standby").isEqualTo(7);
        positions.put("s1", "0-1-6");
        assertThat(both.probe(connection)).isNull();
        assertThat(both.progress.applied(0)).isEqualTo(6);

        roles.putAll(Map.of("s1", true, "s2", false));
        positions.put("s2", "0-1-8");
        assertThat(both.probe(connection)).isNull();
        assertThat(both.progress.applied(0)).isEqualTo(8);
    }

    /**
     * Its gtid_slave_pos is empty until it replicates: found as tables that two domains owned after a switch, and that
     * stayed in the default domain from then on.
     */
    @Test
    void whatAServerWroteAsThePrimaryIsAppliedThere() throws SQLException {
        Map<String, String> positions = new HashMap<>(Map.of("s2", "0-1-9,10-1-5"));
        Map<String, Boolean> roles = new HashMap<>(Map.of("s1", true, "s2", false));
        String[] logged = {"0-1-9,10-1-5"};
        Connection oldPrimary = Fakes.of(
                Connection.class,
                (proxy, method, arguments) -> Fakes.of(
                        Statement.class,
                        (statement, called, query) -> called.getName().equals("executeQuery")
                                ? statement(String.valueOf(query[0]).contains("binlog_pos") ? logged[0] : "")
                                        .executeQuery("")
                                : null));
        Standby s1 = Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> "s1";
            case "dataSource" -> Fakes.of(DataSource.class, (dataSource, called, none) -> oldPrimary);
            default -> null;
        });
        StandbyProgress both = progressOf(inRole(s1, roles), inRole(standby("s2", positions), roles));
        both.probe(connection);
        roles.putAll(Map.of("s1", false, "s2", true));
        both.probe(connection);
        assertThat(both.progress.applied(0)).isEqualTo(9);

        logged[0] = "";
        both.probe(connection);
        assertThat(both.progress.applied(0)).as("rebuilt, it has nothing of it").isZero();
    }

    private static Standby inRole(Standby standby, Map<String, Boolean> roles) {
        return Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> standby.name();
            case "dataSource" -> standby.dataSource();
            case "isPrimary" -> roles.get(standby.name());
            default -> null;
        });
    }

    @Test
    void untilEachStandbyHasAnsweredOnceNothingIsApplied() throws SQLException {
        Map<String, String> positions = new HashMap<>(Map.of("s1", "0-1-9"));
        StandbyProgress both = progressOf(standby("s1", positions), standby("s2", positions));
        both.probe(connection);
        assertThat(both.progress.applied(0)).isZero();

        positions.put("s2", "0-1-7");
        both.probe(connection);
        assertThat(both.progress.applied(0)).isEqualTo(7);
    }

    private String saidAt(String now) throws SQLException {
        position = now;
        try (CapturedLog log = new CapturedLog()) {
            assertThat(standbys.probe(connection)).isNull();
            return log.text();
        }
    }

    /** A restored standby replays what the guard had seen applied. */
    @Test
    void aStandbyThatGoesBackIsSaid() throws SQLException {
        assertThat(saidAt("0-1-9,10-1-5")).isEmpty();
        assertThat(saidAt("0-1-12,10-1-5")).isEmpty();
        assertThat(saidAt("0-1-12,10-1-4"))
                .contains("standby s1 went back")
                .contains("10=5")
                .contains("slave_parallel_threads=0");
        assertThat(saidAt("0-1-13,10-1-4")).isEmpty();
        assertThat(saidAt("0-1-13")).as("a domain is gone").contains("went back");
    }

    /** Its position stands still, and the server that was the primary applies unseen. */
    @Test
    void aPromotedStandbyIsTheReasonWhyNothingIsHandedOver() throws SQLException {
        saidAt("0-1-9");
        promoted = true;
        long before = standbys.progress.applied(0);
        assertThat(before).isEqualTo(9);
        position = "0-1-10";
        assertThat(standbys.probe(connection)).contains("standby s1 is the primary now");
        assertThat(standbys.progress.applied(0)).isEqualTo(before);
        assertThat(standbys.lag.view()).allSatisfy(row -> assertThat(row).containsEntry("known", false));
    }
}
