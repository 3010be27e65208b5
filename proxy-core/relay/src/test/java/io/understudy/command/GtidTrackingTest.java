package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ServerFlavor;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeExchange;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GtidTrackingTest {
    private static final InjectedStatement STATEMENT = new InjectedStatement("SET", "gtid_tracking");

    private boolean autocommit = true;
    private final GtidTracking tracking = new GtidTracking(ServerFlavor.MARIADB, this::autocommit);

    private boolean autocommit() {
        return autocommit;
    }

    private static void agrees(@Nullable Runnable change) {
        if (change != null) {
            change.run();
        }
    }

    private void clientSetsTheList(long number) {
        ByteBuf text =
                Unpooled.copiedBuffer("\3SET session_track_system_variables='autocommit'", StandardCharsets.ISO_8859_1);
        agrees(tracking.clientSets(number, text, 0, text.readableBytes()));
    }

    private boolean asks(int command, @Nullable String sql) {
        return tracking.beforeCommand(FakeExchange.to(sql).as(command)) != null;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"INSERT INTO t VALUES (1)", "SELECT stored(1)", "SELECT 1 INTO @a", "BEGIN", "SET autocommit=0"})
    void asksAheadOfWhatMayWrite(String sql) {
        assertThat(asks(CommandCode.QUERY, "SELECT n FROM t")).isFalse();
        assertThat(tracking.wants()).isTrue();
        assertThat(asks(CommandCode.QUERY, sql)).isTrue();
    }

    /** A prepared read may leave a cursor open, behind which is no boundary. */
    @Test
    void asksAheadOfEachPreparationAndOfAnUnknownText() {
        assertThat(asks(CommandCode.STMT_PREPARE, "SELECT n FROM t WHERE n = ?"))
                .isTrue();
        tracking.onReset();
        assertThat(asks(CommandCode.QUERY, null)).isTrue();
    }

    @Test
    void asksAheadOfAReadThatBeginsATransaction() {
        autocommit = false;
        assertThat(asks(CommandCode.QUERY, "SELECT n FROM t")).isTrue();
    }

    /** To analyse each statement of a session that reads for hours costs more than one SET. */
    @Test
    void asksOnceASessionReadsOften() {
        for (int i = 0; i < 16; i++) {
            assertThat(asks(CommandCode.QUERY, "SELECT n FROM t")).isFalse();
        }
        assertThat(asks(CommandCode.QUERY, "SELECT n FROM t")).isTrue();
        tracking.onReset();
        assertThat(asks(CommandCode.QUERY, "SELECT n FROM t"))
                .as("a pool's connection is reset for ever")
                .isTrue();
    }

    @Test
    void waitsForTheStatementAfterTheOneThatSetsTheList() {
        clientSetsTheList(1);
        assertThat(tracking.take(1)).isNull();
        assertThat(tracking.take(2)).isNotNull();
    }

    @Test
    void keepsTheStatementWhenTheListWasSetWhereInjectionIsImpossible() {
        // A driver pipelines its first statements, so the proxy asks no earlier than the statement that sets the list.
        clientSetsTheList(2);
        assertThat(tracking.take(3)).isNotNull();
        tracking.reported("autocommit,session_track_system_variables,last_gtid");
        tracking.onInjected(STATEMENT, InjectionResult.OK);
        assertThat(tracking.wants()).isFalse();
        assertThat(tracking.addedVariables()).contains("last_gtid");
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    private void sets(long number, String statement) {
        ByteBuf text = bytes("\3" + statement);
        agrees(tracking.clientSets(number, text, 0, text.readableBytes()));
    }

    private void setsPrepared(long number, String statement, String parameters) {
        ByteBuf execution = bytes("\u0017" + parameters);
        byte[] text = statement.getBytes(StandardCharsets.ISO_8859_1);
        agrees(tracking.clientSetsPrepared(number, text, execution, 0, execution.readableBytes()));
    }

    /** Sends the server's response to the tracking statement. With a null list the response reports no change. */
    private void respond(long before, @Nullable String list) {
        assertThat(tracking.take(before)).isNotNull();
        if (list != null) {
            tracking.reported(list);
        }
        tracking.onInjected(STATEMENT, InjectionResult.OK);
    }

    @Test
    void aPreparedSetOfSomethingElseChangesNothing() {
        respond(1, "session_track_system_variables,last_gtid");
        setsPrepared(2, "SET autocommit = ?", "1");
        assertThat(tracking.wants()).isFalse();
        assertThat(tracking.addedVariables()).contains("last_gtid");
    }

    @Test
    void reportedVariablesAreRemovedUntilTheServersResponse() {
        respond(1, "session_track_system_variables,last_gtid");
        setsPrepared(2, "SET SESSION session_track_system_variables = ?", "autocommit");
        assertThat(tracking.addedVariables()).contains("last_gtid");
        assertThat(tracking.wants()).isTrue();
        respond(3, "autocommit,session_track_system_variables,last_gtid");
        assertThat(tracking.addedVariables()).contains("last_gtid");
    }

    @Test
    void aListBuiltOnTheOldOneContainsTheProxysLastGtid() {
        respond(1, "autocommit,session_track_system_variables,last_gtid");
        sets(2, "SET session_track_system_variables=CONCAT(@@session_track_system_variables,',time_zone')");
        assertThat(tracking.addedVariables()).contains("last_gtid");
        respond(3, null);
        assertThat(tracking.addedVariables()).contains("last_gtid");
    }

    @Test
    void aClientThatAsksForLastGtidKeepsIt() {
        respond(1, "session_track_system_variables,last_gtid");
        sets(2, "SET session_track_system_variables='last_gtid'");
        respond(3, null);
        assertThat(tracking.addedVariables()).isEmpty();
        sets(4, "SET session_track_system_variables=CONCAT(@@session_track_system_variables,',time_zone')");
        respond(5, null);
        assertThat(tracking.addedVariables()).isEmpty();
    }

    @Test
    void aClientThatAsksForLastGtidByAParameterKeepsIt() {
        respond(1, "session_track_system_variables,last_gtid");
        setsPrepared(2, "SET session_track_system_variables = ?", "last_gtid");
        respond(3, null);
        assertThat(tracking.addedVariables()).isEmpty();
    }

    @Test
    void aClientThatTracksTheListItselfKeepsIt() {
        respond(1, "session_track_system_variables,last_gtid");
        sets(2, "SET session_track_system_variables='session_track_system_variables'");
        respond(3, "session_track_system_variables,session_track_system_variables,last_gtid");
        assertThat(tracking.addedVariables()).containsExactly("last_gtid", "gtid_domain_id");
    }

    @Test
    void aClientThatTracksTheListAndLastGtidKeepsBoth() {
        respond(1, "session_track_system_variables,last_gtid");
        sets(2, "SET session_track_system_variables='last_gtid,session_track_system_variables'");
        // The server reports a tracked list also when a SET leaves it as it is.
        respond(3, "last_gtid,session_track_system_variables");
        assertThat(tracking.addedVariables()).isEmpty();
    }

    @Test
    void aClientThatAddsLastGtidToTheOldListKeepsIt() {
        respond(1, "autocommit,session_track_system_variables,last_gtid");
        sets(2, "SET session_track_system_variables=CONCAT(@@session_track_system_variables,',last_gtid')");
        assertThat(tracking.addedVariables())
                .as("the server reports the list")
                .contains("session_track_system_variables");
        respond(3, "autocommit,session_track_system_variables,last_gtid");
        assertThat(tracking.addedVariables()).isEmpty();
    }

    @Test
    void aClientThatTracksTheDomainKeepsIt() {
        sets(1, "SET session_track_system_variables='gtid_domain_id'");
        respond(2, "gtid_domain_id,gtid_seq_no,last_gtid,session_track_system_variables");
        assertThat(tracking.addedVariables())
                .containsExactly("last_gtid", "session_track_system_variables", "gtid_seq_no");
    }

    @Test
    void recognisesADomainThatIsSetForOneStatement() {
        sets(1, "SET gtid_domain_id=7");
        assertThat(tracking.setsForItself(1)).isFalse();
        sets(2, "/* x */ SET STATEMENT max_statement_time=1, gtid_domain_id=7 FOR INSERT INTO t VALUES (1)");
        assertThat(tracking.setsForItself(2)).isTrue();
        assertThat(tracking.setsForItself(3)).isFalse();
    }

    @Test
    void recognisesEachOfTwoThatAreSentTogether() {
        ByteBuf text = bytes("\3SET STATEMENT gtid_domain_id=7 FOR INSERT INTO t VALUES (1)");
        Runnable first = tracking.clientSets(1, text, 0, text.readableBytes());
        Runnable second = tracking.clientSets(2, text, 0, text.readableBytes());
        agrees(first);
        assertThat(tracking.setsForItself(1)).isTrue();
        agrees(second);
        assertThat(tracking.setsForItself(2)).isTrue();
    }
}
