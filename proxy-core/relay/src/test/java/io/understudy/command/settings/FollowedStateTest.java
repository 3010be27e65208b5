package io.understudy.command.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
                    SELECT `GET_LOCK`('a', 1) | user_lock
                    DO `get_lock` ('a', 1) | user_lock
                    DO "get_lock"('a', 1) | user_lock
                    SELECT /*!50000 GET_LOCK*/ ('a', 1) | user_lock
                    ~SELECT GET_LOCK # x\n('a', 1)~ | user_lock
                    ~DO GET_LOCK -- x\n('a', 1)~ | user_lock
                    SELECT GET_LOCK/*!50000 ('a',1)*/ | user_lock
                    SELECT GET_LOCK/*! ('a',1)*/ | user_lock
                    SELECT GET_LOCK/*M!100100('a',1)*/ | user_lock
                    SELECT LAST_INSERT_ID/*!50000 (77)*/ | last_insert_id
                    SELECT `last_insert_id`(77) | last_insert_id
                    DO LAST_INSERT_ID /* x */ (77) | last_insert_id
                    SELECT `last_insert_id`( ) | carried
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
                    INSERT INTO `job_lock`(`a`) VALUES (1) | carried
                    SELECT @@wait_timeout | carried
                    SELECT (1), 7 IN (1, 2) FROM t | carried
                    """)
    void whatIsNotFollowedIsNotKnown(String text, String reason) {
        run(text);
        assertThat(reason(scripted)).isEqualTo(reason);
        scripted.finish();
    }

    private static byte[] ok(int insertId) {
        return Bytes.packet(1, Bytes.of(0, 1, insertId, ServerStatus.AUTOCOMMIT, 0, 0, 0));
    }

    private void answered(int insertId, byte[] command) {
        scripted.client(command);
        scripted.server(ok(insertId));
    }

    private String lastInsertId() {
        String reason = reason(scripted);
        return !reason.equals("carried")
                ? reason
                : statements().stream()
                        .filter(sql -> sql.startsWith("SET last_insert_id"))
                        .map(sql -> sql.substring("SET last_insert_id = ".length()))
                        .findFirst()
                        .orElseThrow();
    }

    /** Each with the id in its OK packet, after an INSERT that has generated 7: as both products do. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    INSERT INTO t (v) VALUES ('a') | 8 | 8
                    INSERT INTO t (v) VALUES ('a'), ('b') | 8 | 8
                    REPLACE INTO t SET v = 'a', n = 5 | 8 | 8
                    INSERT INTO t (v) VALUES (';') | 8 | 8
                    INSERT INTO t (id, v) VALUES (50, 'a') | 50 | last_insert_id
                    INSERT INTO t (v) SELECT 'a' | 8 | last_insert_id
                    INSERT INTO n SELECT 'a' | 0 | 7
                    INSERT INTO t (k) VALUES (1) ON DUPLICATE KEY UPDATE v = 'a' | 3 | last_insert_id
                    INSERT INTO t (id) VALUES (LAST_INSERT_ID()) | 7 | 7
                    LOAD DATA INFILE 'f' INTO TABLE t | 0 | last_insert_id
                    INSERT INTO t (v) VALUES ('a'); UPDATE t SET v = 'b' | 0 | last_insert_id
                    UPDATE t SET v = 'b' WHERE id = 1; UPDATE t SET v = 'b' | 0 | 7
                    SELECT ';' | 0 | 7
                    UPDATE t SET id = LAST_INSERT_ID(id + 1) | 6 | 6
                    UPDATE t SET id = LAST_INSERT_ID(id - 1) | 0 | last_insert_id
                    EXECUTE IMMEDIATE 'INSERT INTO t (v) VALUES (1)' | 8 | last_insert_id
                    EXECUTE IMMEDIATE 'UPDATE t SET v = 1' | 0 | 7
                    SET STATEMENT max_statement_time = 1 FOR INSERT INTO t (v) VALUES ('a') | 8 | last_insert_id
                    SET STATEMENT max_statement_time = 1 FOR UPDATE t SET v = 'a' | 0 | 7
                    CREATE TABLE u (id INT AUTO_INCREMENT PRIMARY KEY) SELECT 55 AS id | 55 | last_insert_id
                    BEGIN NOT ATOMIC INSERT INTO t (v) VALUES ('x'); END | 0 | last_insert_id
                    """)
    void theIdInAnOkPacketIsNotAlwaysTheLastInsertId(String text, int id, String expected) {
        answered(7, Bytes.command(CommandCode.QUERY, "INSERT INTO t (v) VALUES ('first')"));
        answered(id, Bytes.command(CommandCode.QUERY, text));
        assertThat(lastInsertId()).isEqualTo(expected);
        scripted.finish();
    }

    @Test
    void aGeneratedIdIsKnownAgain() {
        scripted.client(Bytes.command(CommandCode.QUERY, "INSERT INTO t (v) VALUES ('a') RETURNING id"));
        byte[] eof = Bytes.eof(ServerStatus.AUTOCOMMIT);
        scripted.server(
                Bytes.packet(1, Bytes.of(1)),
                Bytes.packet(2, Bytes.definition("id")),
                Bytes.packet(3, eof),
                Bytes.packet(4, Bytes.shortString("7")),
                Bytes.packet(5, eof));
        assertThat(lastInsertId()).isEqualTo("last_insert_id");
        answered(8, Bytes.command(CommandCode.QUERY, "INSERT INTO t (v) VALUES ('a')"));
        assertThat(lastInsertId()).isEqualTo("8");
        scripted.finish();
    }

    @Test
    void anIdMayBeAParameter() {
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, "INSERT INTO t (v, w) VALUES (?, 5)"));
        scripted.server(
                Bytes.packet(
                        1, Bytes.concat(Bytes.of(0), Bytes.int4(1), Bytes.int2(0), Bytes.int2(1), Bytes.of(0, 0, 0))),
                Bytes.packet(2, Bytes.definition("?")),
                Bytes.packet(3, Bytes.eof(ServerStatus.AUTOCOMMIT)));
        byte[] string = Bytes.of(0, 1, 0xFD, 0);
        answered(8, execute(string, Bytes.shortString("57 and more")));
        assertThat(lastInsertId()).isEqualTo("8");
        answered(57, execute(string, Bytes.shortString("57 and more")));
        assertThat(lastInsertId()).isEqualTo("last_insert_id");
        answered(9, execute(Bytes.of(0, 0), Bytes.shortString("again")));
        assertThat(lastInsertId()).isEqualTo("9");
        answered(5, execute(Bytes.of(0, 0), Bytes.shortString("again")));
        assertThat(lastInsertId()).isEqualTo("last_insert_id");
        answered(10, execute(Bytes.of(0, 1, 8, 0), Bytes.int4(11), Bytes.int4(0)));
        assertThat(lastInsertId()).isEqualTo("10");
        answered(11, execute(Bytes.of(0, 0), Bytes.int4(11), Bytes.int4(0)));
        assertThat(lastInsertId()).isEqualTo("last_insert_id");
        answered(12, execute(Bytes.of(1, 0)));
        assertThat(lastInsertId()).isEqualTo("12");
        answered(13, execute(Bytes.of(0, 1, 3, 0), Bytes.int2(13)));
        assertThat(lastInsertId()).as("cut off").isEqualTo("last_insert_id");
        scripted.finish();
    }

    private static byte[] execute(byte[]... rest) {
        return Bytes.command(
                CommandCode.STMT_EXECUTE, Bytes.concat(Bytes.int4(1), Bytes.of(0), Bytes.int4(1), Bytes.concat(rest)));
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

    /** On an event loop, which other sessions share. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    SELECT @a, 'get_ | get_ | '
                    SELECT @a, 'get_lock | /**/ | '
                    SELECT @a, 'get_lock` | ` | '
                    SELECT @a, 'last_insert_id | last_insert_id( | '
                    FLUSH | FLUSH, | FLUSH TABLES
                    SELECT ' | FLUSH, | '; DO 1
                    EXPLAIN SELECT ' | \u0300 | '
                    FLUSH TABLES /* | \u0300 | */
                    PREPARE p FROM ' | \u0300 | '
                    """)
    void aTextThatNearlyMatchesTakesNoLongTime(String begin, String repeated, String end) {
        String text = begin + repeated.repeat(60_000 / repeated.getBytes(StandardCharsets.UTF_8).length) + end;
        assertTimeoutPreemptively(Duration.ofSeconds(15), () -> run(text, text, text, text, text));
        scripted.finish();
    }
}
