package io.understudy.command.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.command.SessionModel;
import io.understudy.move.CarriedState;
import io.understudy.move.NotMoved;
import io.understudy.move.StateReader;
import io.understudy.plugin.SessionContext;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A session's state from its texts alone, as it is needed when its server is gone. */
@ExtendWith(LeakCheck.class)
class FollowedStateTest {
    private static final byte[] OK = Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT));

    private final Scripted scripted =
            new Scripted(Memory.direct(), FollowedStateTest::movable).loggedIn(Scripted.CLASSIC);

    private static Watcher movable(SessionContext context) {
        ((SessionModel) context).setMovable();
        return new Watcher(0);
    }

    private void run(String... texts) {
        for (String sql : texts) {
            scripted.client(Bytes.command(CommandCode.QUERY, sql));
            scripted.server(OK);
        }
    }

    private List<String> statements() {
        return StateReader.followed(scripted.model()).statements();
    }

    private static String reason(Scripted of) {
        try {
            StateReader.followed(of.model());
            return "carried";
        } catch (NotMoved e) {
            return e.reason();
        }
    }

    @Test
    void aNewSessionHasWhatTheLoginGives() {
        assertThat(statements())
                .containsExactly(
                        "SET sql_mode = ''",
                        "SET sql_mode = @@global.sql_mode",
                        "SET last_insert_id = 0",
                        "SET autocommit = 1");
        scripted.finish();
    }

    @Test
    void theLastValueOfEachVariableIsCarried() {
        run(
                "SET NAMES latin1",
                "SET character_set_results = NULL",
                "SET wait_timeout = 5, @@session.net_read_timeout = 6, GLOBAL max_connections = 7",
                "SET wait_timeout = 8",
                "SET net_read_timeout = DEFAULT",
                "SET sql_mode = concat(@@sql_mode, ',STRICT_TRANS_TABLES')",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "SELECT 'a', @@wait_timeout FROM t");
        assertThat(statements())
                .contains("SET wait_timeout = 8", "SET NAMES latin1", "SET character_set_results = NULL")
                .contains("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
                .contains("SET sql_mode = concat(@@global.sql_mode, ',STRICT_TRANS_TABLES')")
                .noneMatch(sql -> sql.contains("net_read_timeout") || sql.contains("max_connections"));
        run("SET NAMES utf8mb4");
        assertThat(statements()).contains("SET NAMES utf8mb4").noneMatch(sql -> sql.contains("results"));
        scripted.client(Bytes.command(CommandCode.RESET_CONNECTION, ""));
        scripted.server(OK);
        assertThat(statements()).noneMatch(sql -> sql.contains("wait_timeout"));
        scripted.finish();
    }

    /** The lines with a semicolon are of several statements. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    SET @a = 1 | user_variables
                    SELECT @a := 1 | user_variables
                    SELECT id INTO @a FROM t | user_variables
                    SELECT 1; SET @a = 1 | user_variables
                    SELECT 1; SELECT @a := 1 | user_variables
                    CALL p() | procedure
                    HANDLER t OPEN | handler
                    XA START 'a' | xa
                    SELECT GET_LOCK('a', 1) | user_lock
                    SELECT Get_Lock /* x */ ('a', 1) | user_lock
                    SELECT LAST_INSERT_ID(5) | last_insert_id
                    SELECT LAST_INSERT_ID( ) | carried
                    UPDATE t SET id = LAST_INSERT_ID(id + 1) | carried
                    PREPARE p FROM 'SELECT ''1''' | carried
                    PREPARE p FROM CONCAT('SELECT ', '1') | text_prepared
                    /* a */ DROP PREPARE p | carried
                    SELECT 1; PREPARE p FROM 'SELECT 1' | unknown_state
                    SET wait_timeout = @@global.wait_timeout | unknown_state
                    SET foreign_key_checks = (SELECT 1) | unknown_state
                    SET optimizer_switch = CONCAT('a', 'b') | unknown_state
                    SET insert_id = 5 | insert_id
                    SET ROLE r | role
                    CREATE TEMPORARY TABLE t (a INT) | temporary_table
                    SET TRANSACTION READ ONLY; | carried
                    SELECT 'a@b.c' FROM t | carried
                    INSERT INTO job_lock (a) VALUES (1) | carried
                    SELECT @@wait_timeout | carried
                    """)
    void whatIsNotFollowedIsNotKnown(String text, String reason) {
        run(text);
        assertThat(reason(scripted)).isEqualTo(reason);
        scripted.finish();
    }

    /** The statement behind it is sent ahead of the response to it. */
    @Test
    void aTableIsOfTheSchemaThatAUseInFlightGives() {
        run("USE a");
        behindUse("b", "CREATE TEMPORARY TABLE t (i INT)");
        run("DROP TABLE a.t");
        assertThat(scripted.model().settings().temporaryTables()).isTrue();
        behindUse("a", "DROP TABLE t");
        assertThat(scripted.model().settings().temporaryTables()).isTrue();
        behindUse("b", "DROP TABLE t");
        assertThat(scripted.model().settings().temporaryTables()).isFalse();
        scripted.finish();
    }

    private void behindUse(String schema, String text) {
        scripted.client(Bytes.command(CommandCode.QUERY, "USE " + schema), Bytes.command(CommandCode.QUERY, text));
        scripted.server(OK, OK);
    }

    @Test
    void aTextThatIsNotReadMayHaveSetAnything() {
        run("INSERT INTO t VALUES ('" + "x".repeat(Scripted.STATEMENT_LIMIT) + "')");
        assertThat(reason(scripted)).isEqualTo("unread_text");
        scripted.finish();
        Scripted notMovable = new Scripted(Memory.direct(), new Watcher(0)).loggedIn(Scripted.CLASSIC);
        assertThat(reason(notMovable)).isEqualTo("unread_text");
        notMovable.finish();
    }

    @Test
    void anErrorWithinABlockMayHaveLeftATransactionOpen() {
        scripted.client(
                Bytes.command(CommandCode.QUERY, "BEGIN NOT ATOMIC START TRANSACTION; SIGNAL SQLSTATE '45000'; END"));
        scripted.server(Bytes.packet(1, Bytes.err(1644, "stop")));
        scripted.client.take();
        assertThat(reason(scripted)).isEqualTo("transaction");
        run("SELECT 1");
        assertThat(reason(scripted)).isEqualTo("carried");
        scripted.finish();
    }

    /** Go sends the two one after the other; what comes between may have used them up. */
    @Test
    void theNextTransactionsCharacteristicsAreCarriedWhileNothingElseHasRun() {
        run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        assertThat(statements()).last().isEqualTo("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        run("SELECT 1");
        assertThat(reason(scripted)).isEqualTo("next_transaction");
        scripted.client(Bytes.command(CommandCode.QUERY, "BEGIN"));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANS)));
        run("COMMIT");
        assertThat(statements()).noneMatch(sql -> sql.startsWith("SET TRANSACTION"));
        scripted.finish();
    }

    @Test
    void theLastInsertIdIsTheServersLast() {
        scripted.client(Bytes.command(CommandCode.QUERY, "INSERT INTO t VALUES ()"));
        scripted.server(Bytes.packet(1, Bytes.of(0, 1, 0xFC, 0x39, 0x30, 2, 0, 0, 0)));
        run("UPDATE t SET a = 1");
        assertThat(statements()).contains("SET last_insert_id = 12345");
        scripted.finish();
    }

    @Test
    void whatAddsToTheServersValueIsDoneAnew() {
        String driver = "CONCAT(@@session_track_system_variables,IF(LOCATE('*',@@session_track_system_variables)>0 OR"
                + " FIND_IN_SET('last_gtid',LOWER(REPLACE(@@session_track_system_variables,' ','')))>0,'',"
                + "',last_gtid'))";
        run("SET session_track_schema = 1, session_track_system_variables=" + driver);
        assertThat(statements())
                .containsSubsequence("SET session_track_schema = 1", "SET session_track_system_variables = " + driver);
        run("SET session_track_system_variables = 'autocommit'");
        assertThat(statements())
                .contains("SET session_track_schema = 1, session_track_system_variables = 'autocommit'")
                .noneMatch(sql -> sql.contains("CONCAT"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CONCAT(@@version, 'x')",
                "CONCAT(@@session_track_system_variables, USER())",
                "CONCAT(@@session_track_system_variables, @mine)",
                "(SELECT 1)"
            })
    void whatDependsOnMoreIsNotKnown(String expression) {
        run("SET session_track_system_variables = " + expression);
        assertThat(reason(scripted)).isNotInstanceOf(CarriedState.class);
    }

    @Test
    void aSchemaWhoseNameCannotBeReadIsNotKnown() {
        run("SET NAMES latin1", "USE \u00e4b");
        assertThat(reason(scripted)).isEqualTo("unknown_state");
    }
}
