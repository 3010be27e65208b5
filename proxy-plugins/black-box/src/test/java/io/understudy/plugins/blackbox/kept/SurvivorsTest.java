package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.blackbox.history.Applied.MySqlApplied;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.lost.Survivors;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The choice of a server for a report, with both servers under {@code standbys}. */
class SurvivorsTest extends BlackBoxHarness {
    /** A server that has replicated nothing. */
    private static Standby server(int id, String logged, String readOnly) {
        return ScriptedStandby.of("server-" + id, () -> List.of("", logged, readOnly, "host:3306:" + id));
    }

    private Survivor choose(Standby... standbys) {
        start(1, "0-1-10", "0-1-10");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "account is locked"));
        PluginContext context = ScriptedStandby.object(PluginContext.class, (name, arguments) -> List.of(standbys));
        return new Survivors(context, box).choose();
    }

    @Test
    void theLivingPrimaryIsNotChosenWhileItsLogCannotBeRead() {
        Standby primary = server(1, "0-1-10", "0");
        assertThat(choose(primary, server(2, "0-1-9", "1")).name()).isEqualTo("server-2");
        assertThatThrownBy(() -> choose(primary))
                .hasMessageContaining("server-1: is the primary itself")
                .hasMessageContaining("--on HOST:PORT");
    }

    /** Which of them is the primary is not known here; the one that comes first may be the old one. */
    @Test
    void aSecondServerThatTakesWritesIsNamed() {
        Survivor old = choose(server(2, "0-1-9", "0"), server(3, "0-1-8", "1"), server(4, "0-1-9", "0"));
        assertThat(old.name()).isEqualTo("server-2");
        assertThat(old.others()).containsExactly("server-4");
        assertThat(JudgedLossTest.report(box).of(old).get("notKnown"))
                .asString()
                .contains("beside server-2, server-4 takes writes", "report lost --on server-4", "split=true");
        assertThat(choose(server(1, "0-1-9", "0"), server(2, "0-1-9", "0")).others())
                .as("the one whose log was read last")
                .containsExactly("server-1");
        assertThat(choose(server(2, "0-1-9", "0"), server(3, "0-1-8", "1")).others())
                .isEmpty();
        assertThat(choose(server(2, "0-1-9", "1"), server(1, "0-1-9", "0")).others())
                .isEmpty();
    }

    @Test
    void aServerThatTakesWritesBesideTheFollowedPrimaryIsNamed() {
        start(1, "0-1-10");
        start(2, "0-1-10");
        List<Standby> servers = List.of(server(1, "0-1-12", "0"), server(2, "0-2-11", "0"));
        Primary primary = ScriptedStandby.object(
                Primary.class,
                (name, arguments) -> name.equals("dataSource") ? servers.get(1).dataSource() : ServerFlavor.MARIADB);
        PluginContext context = ScriptedStandby.object(
                PluginContext.class, (name, arguments) -> name.equals("standbys") ? servers : primary);
        Survivor chosen = new Survivors(context, box).choose();
        assertThat(chosen.name()).isEqualTo("primary");
        assertThat(chosen.others()).containsExactly("server-1");
    }

    /** Of a primary that is read-only nothing is beside, and it is not said to be one of two. */
    @Test
    void aServerThatAloneTakesWritesIsNamedAndOneThatDoesNotRespondToo() {
        start(1, "0-1-10");
        start(2, "0-1-10");
        Standby read = server(2, "0-2-11", "1");
        Standby silent = ScriptedStandby.of("server-3", () -> {
            throw new SQLException("connection refused");
        });
        List<Standby> servers = List.of(server(1, "0-1-12", "0"), silent);
        Primary primary = ScriptedStandby.object(
                Primary.class,
                (name, arguments) -> name.equals("dataSource") ? read.dataSource() : ServerFlavor.MARIADB);
        PluginContext context = ScriptedStandby.object(
                PluginContext.class, (name, arguments) -> name.equals("standbys") ? servers : primary);
        Survivor chosen = new Survivors(context, box).choose();
        assertThat(chosen.chosen()).endsWith("; whether server-3 takes writes is not known: connection refused");
        assertThat(JudgedLossTest.report(box).of(chosen).get("notKnown"))
                .asString()
                .contains("primary is read-only, and server-1 takes writes. This is about primary alone")
                .doesNotContain("beside", "UnderstudySplit", "server-3");
    }

    /** A standby was promoted by hand, and the primary is no standby of the file. */
    @Test
    void thePrimaryThatIsReadTakesWritesBesideAPromotedStandby() {
        start(1, "0-1-10");
        for (String readOnly : List.of("0", "1")) {
            Standby read = server(1, "0-1-12", readOnly);
            Primary primary = ScriptedStandby.object(
                    Primary.class,
                    (name, arguments) -> name.equals("dataSource") ? read.dataSource() : ServerFlavor.MARIADB);
            List<Standby> servers = List.of(server(2, "0-1-10", "0"));
            PluginContext context = ScriptedStandby.object(
                    PluginContext.class, (name, arguments) -> name.equals("standbys") ? servers : primary);
            Survivor chosen = new Survivors(context, box).choose();
            assertThat(chosen.name()).isEqualTo("server-2");
            assertThat(chosen.others()).isEqualTo(readOnly.equals("0") ? List.of("primary") : List.of());
        }
    }

    /** One that is dead stays such a server, until its stream ends. */
    @Test
    void aPrimaryThatIsReadAndLivesAndCannotBeAskedMayTakeWritesBesideAPromotedStandby() {
        start(1, "0-1-10");
        List<Standby> promoted = List.of(server(2, "0-1-10", "0"));
        for (boolean dead : new boolean[] {true, false}) {
            Primary refuses = ScriptedStandby.object(Primary.class, (name, arguments) -> switch (name) {
                case "flavor" -> ServerFlavor.MARIADB;
                case "isUnreachable" -> dead;
                default ->
                    ScriptedStandby.of("primary", () -> {
                                throw new SQLException("Access denied");
                            })
                            .dataSource();
            });
            PluginContext context = ScriptedStandby.object(
                    PluginContext.class, (name, arguments) -> name.equals("standbys") ? promoted : refuses);
            Survivor chosen = new Survivors(context, box).choose();
            assertThat(chosen.chosen())
                    .startsWith("it takes writes (read_only is off); whether primary takes writes is not known: ")
                    .endsWith("Access denied");
            assertThat(chosen.others()).isEqualTo(dead ? List.of() : List.of("primary"));
            if (!dead) {
                assertThat(JudgedLossTest.report(box).of(chosen).get("notKnown"))
                        .asString()
                        .contains("beside server-2, primary takes writes, or may. This is about", "split=true");
            }
        }
    }

    @Test
    void aServerThatHasReplicatedNothingShowsWhatItLogged() {
        assertThat(choose(server(2, "0-1-9", "1")).position()).isEqualTo("0-1-9");
    }

    /** It is still the same server, of which nothing is missing there. */
    @Test
    void aPrimaryWhoseNumbersBeganAnewIsNotChosen() {
        start(1, "0-1-10");
        start(1, "0-1-4");
        PluginContext context =
                ScriptedStandby.object(PluginContext.class, (name, arguments) -> List.of(server(2, "0-1-10", "1")));
        assertThat(new Survivors(context, box).choose().name()).isEqualTo("server-2");
    }

    /** It may have begun after the change, with the log of its directory. */
    @Test
    void aPrimaryAfterAnotherOneIsChosenWithoutAWordOfWhatTheProxyDid() {
        start(1, "0-1-10");
        start(2, "0-2-4");
        Standby server = server(2, "0-2-4", "0");
        Primary primary = ScriptedStandby.object(Primary.class, (method, of) -> server.dataSource());
        PluginContext context = ScriptedStandby.object(
                PluginContext.class, (name, arguments) -> name.equals("standbys") ? List.of() : primary);
        Survivor chosen = new Survivors(context, box).choose();
        assertThat(chosen.name()).isEqualTo("primary");
        assertThat(chosen.chosen())
                .isEqualTo("it is the primary now; the black box has read the log of another one, too");
    }

    /** Nothing was read yet: its product shows in the position. */
    @Test
    void aPositionOfMySqlIsReadBeforeAnyPrimary() {
        PluginContext context = ScriptedStandby.object(
                PluginContext.class,
                (name, arguments) -> ScriptedStandby.object(Primary.class, (method, of) -> ServerFlavor.MARIADB));
        Survivor survivor = new Survivors(context, box)
                .fromParameters(Map.of(
                        "on", "s1",
                        "replicated", "8ef0f245-71ca-11e1-9e33-c80aa9429562:1-5",
                        "logged", "",
                        "received", "?",
                        "readOnly", "true"));
        assertThat(survivor.applied()).isInstanceOf(MySqlApplied.class);
    }

    @Test
    void nothingCountsAsComparedWithoutAName() {
        PluginContext context = ScriptedStandby.object(PluginContext.class, (name, arguments) -> List.of());
        assertThatThrownBy(() -> new Survivors(context, box).named(Map.of())).hasMessageContaining("on=NAME");
    }
}
