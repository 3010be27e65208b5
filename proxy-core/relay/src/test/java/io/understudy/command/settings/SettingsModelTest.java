package io.understudy.command.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.understudy.command.prepared.TextPrepared;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsModelTest {
    private static final int UTF8MB4 = 45;

    private final ServerSqlMode server = new ServerSqlMode();
    private SettingsModel settings = login(UTF8MB4);

    /** Logs in between the times 100 and 110. */
    private SettingsModel login(int collation) {
        return new SettingsModel(collation, new AdoptedMode(server, 100, 110), SqlModes.MARIADB);
    }

    private void set(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        SetStatement parsed = SetStatement.parse(text, 0, text.length, 0);
        assertThat(parsed).as(sql).isNotNull();
        settings.apply(parsed, 1);
    }

    @Test
    void followsConnectorJsLoginStatements() {
        set("set autocommit=1, session_track_schema=1, sql_mode=concat(@@sql_mode,',STRICT_TRANS_TABLES')");
        assertThat(settings.known()).isTrue();
        assertThat(settings.sqlMode()).isEqualTo("concat(@@global.sql_mode,',STRICT_TRANS_TABLES')");
        assertThat(settings.sqlModes() & SqlModes.ANSI_QUOTES).isZero();
    }

    @Test
    void chainsExpressionsBackToTheServersOwnMode() {
        set("SET sql_mode = concat(@@sql_mode, ',NO_ZERO_DATE')");
        set("SET @@session.sql_mode = replace(@@session.sql_mode, 'NO_ZERO_DATE', '')");
        assertThat(settings.sqlMode())
                .isEqualTo("replace(concat(@@global.sql_mode, ',NO_ZERO_DATE'), 'NO_ZERO_DATE', '')");
    }

    /** On an event loop, which other sessions share. */
    @Test
    void anExpressionThatNearlyMatchesTakesNoLongTime() {
        String sql = "SET sql_mode = concat(" + " ".repeat(480) + "x)";
        assertTimeoutPreemptively(Duration.ofSeconds(15), () -> {
            for (int i = 0; i < 10_000; i++) {
                set(sql);
            }
        });
        assertThat(settings.known()).isFalse();
    }

    @Test
    void followsLiteralsAndDefault() {
        set("SET SESSION sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES', time_zone = '+02:00'");
        assertThat(settings.sqlMode()).isEqualTo("'ANSI_QUOTES,STRICT_ALL_TABLES'");
        assertThat(settings.sqlModes() & SqlModes.ANSI_QUOTES).isNotZero();
        assertThat(settings.timeZone()).isEqualTo("'+02:00'");
        set("SET sql_mode = DEFAULT, time_zone = DEFAULT");
        assertThat(settings.sqlMode()).isNull();
        assertThat(settings.timeZone()).isNull();
        assertThat(settings.known()).isTrue();
    }

    @Test
    void valuesThatCannotBeRepeatedAreUnknown() {
        set("SET sql_mode = (SELECT mode FROM settings LIMIT 1)");
        assertThat(settings.known()).isFalse();
        settings.reset();
        assertThat(settings.known()).isTrue();
        set("SET sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')");
        assertThat(settings.known())
                .as("whether the lexer must read quotes otherwise is not worked out")
                .isFalse();
        settings.reset();
        set("SET time_zone = @@global.time_zone");
        assertThat(settings.known()).isFalse();
    }

    @Test
    void followsCharacterSets() {
        set("SET NAMES gbk");
        assertThat(settings.characterSet()).isEqualTo("NAMES gbk");
        assertThat(settings.sqlModes() & SqlModes.UNSAFE_CHARSET).isNotZero();
        set("SET NAMES utf8mb4 COLLATE utf8mb4_bin");
        assertThat(settings.characterSet()).isEqualTo("NAMES utf8mb4 COLLATE utf8mb4_bin");
        assertThat(settings.sqlModes() & SqlModes.UNSAFE_CHARSET).isZero();
        set("SET character_set_connection = latin1");
        assertThat(settings.characterSet())
                .isEqualTo("NAMES utf8mb4 COLLATE utf8mb4_bin, @@session.character_set_connection = latin1");
    }

    @Test
    void anUnknownCollationCountsAsAnUnsafeCharset() {
        settings = login(0);
        assertThat(settings.sqlModes() & SqlModes.UNSAFE_CHARSET).isNotZero();
    }

    @Test
    void ignoresOtherScopes() {
        set("SET GLOBAL sql_mode = 'ANSI', @x = 1");
        assertThat(settings.sqlMode()).isNull();
        assertThat(settings.known()).isTrue();
    }

    private boolean known(int bit) {
        return (settings.sqlModes() & (bit | SqlModes.QUOTES_UNKNOWN)) == bit;
    }

    @Test
    void theServersModeIsKnownIfProbesBeforeAndAfterTheLoginAgree() {
        server.seen("ANSI_QUOTES,STRICT_ALL_TABLES,NO_AUTO_CREATE_USER", 90, 95);
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN).isNotZero();
        assertThat(settings.sqlMode()).isNull();
        server.seen("ANSI_QUOTES,STRICT_ALL_TABLES,NO_AUTO_CREATE_USER", 120, 125);
        assertThat(known(SqlModes.ANSI_QUOTES)).isTrue();
        assertThat(settings.sqlMode()).isEqualTo("'ANSI_QUOTES,STRICT_ALL_TABLES'");
        assertThat(settings.mode().expression())
                .as("of a session that moves")
                .isEqualTo("'ANSI_QUOTES,STRICT_ALL_TABLES,NO_AUTO_CREATE_USER'");
        server.seen("", 130, 135);
        assertThat(known(SqlModes.ANSI_QUOTES))
                .as("a session keeps what it began with")
                .isTrue();
    }

    @Test
    void whatTheSessionHasLearntOfAnAdoptedModeAStatementKnowsToo() {
        SqlModeSetting prepared = settings.mode();
        server.seen("ANSI_QUOTES", 90, 95);
        server.seen("ANSI_QUOTES", 120, 125);
        assertThat(settings.sqlMode()).isEqualTo("'ANSI_QUOTES'");
        server.seen("", 130, 135); // another primary's
        assertThat(prepared.settled()).isEqualTo(settings.mode());
    }

    @Test
    void theServersModeIsUnknownIfProbesDoNotSurroundTheLoginOrDiffer() {
        server.seen("", 90, 105);
        server.seen("", 120, 125);
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN)
                .as("the first probe may have been after the login")
                .isNotZero();
        settings = new SettingsModel(UTF8MB4, new AdoptedMode(server, 130, 140), SqlModes.MARIADB);
        server.seen("ANSI", 150, 155);
        server.seen("ANSI", 160, 165);
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN).isNotZero();
        settings = new SettingsModel(UTF8MB4, new AdoptedMode(server, 170, 180), SqlModes.MARIADB);
        server.seen(null, 190, 195);
        server.seen("ANSI", 200, 205);
        server.seen("ANSI", 210, 215);
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN)
                .as("the server was away in between")
                .isNotZero();
    }

    @Test
    void aResetAdoptsTheServersModeAgain() {
        set("SET sql_mode = 'ANSI_QUOTES'");
        server.seen("", 190, 195);
        settings.during(200, 210);
        settings.reset();
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN).isNotZero();
        server.seen("", 220, 225);
        assertThat(known(0)).isTrue();
        assertThat(settings.sqlModes() & SqlModes.ANSI_QUOTES).isZero();
    }

    @Test
    void expressionsOnTheServersModeAreKnownIfItIs() {
        set("SET sql_mode = concat(@@sql_mode, ',STRICT_TRANS_TABLES')");
        server.seen("ANSI_QUOTES", 90, 95);
        server.seen("ANSI_QUOTES", 120, 125);
        assertThat(known(SqlModes.ANSI_QUOTES)).isTrue();
        assertThat(settings.sqlMode()).isEqualTo("concat('ANSI_QUOTES', ',STRICT_TRANS_TABLES')");
        settings.during(130, 140);
        set("SET sql_mode = concat('NO_ZERO_DATE', '')");
        assertThat(settings.sqlModes() & (SqlModes.ANSI_QUOTES | SqlModes.QUOTES_UNKNOWN))
                .as("the mode before is not in it")
                .isZero();
    }

    @Test
    void aComputedModeIsUnknown() {
        set("SET sql_mode = replace(@@sql_mode, 'AXSI', 'X')");
        server.seen("", 90, 95);
        server.seen("", 120, 125);
        assertThat(settings.sqlModes() & SqlModes.QUOTES_UNKNOWN).isNotZero();
        set("SET sql_mode = concat('AN', 'SI')");
        assertThat(settings.known()).isFalse();
    }

    @Test
    void followsSettingsThatLimitRows() {
        assertThat(settings.reading()).isNull();
        set("SET SQL_SELECT_LIMIT=1, group_concat_max_len = 5000, sort_buffer_size = 9, autocommit = 1");
        assertThat(settings.reading()).isEqualTo("sql_select_limit = 1, group_concat_max_len = 5000");
        set("SET @@session.optimizer_switch = 'mrr=on,index_merge=off'");
        set("SET optimizer_switch = 'mrr=off'");
        set("SET sql_select_limit = DEFAULT, lc_time_names = 'de_DE'");
        assertThat(settings.reading())
                .isEqualTo("group_concat_max_len = 5000, optimizer_switch = 'index_merge=off,mrr=off',"
                        + " lc_time_names = 'de_DE'");
        assertThat(settings.known()).isTrue();
        settings.reset();
        assertThat(settings.reading()).isNull();
    }

    @Test
    void nonLiteralValuesAreUnknownUntilALiteralIsSet() {
        set("SET sql_select_limit = @old");
        assertThat(settings.known()).isFalse();
        set("SET max_join_size = 5");
        assertThat(settings.known()).isFalse();
        set("SET sql_select_limit = 18446744073709551615");
        assertThat(settings.known()).isTrue();
        set("SET time_zone = @tz, sql_mode = (SELECT 1)");
        set("SET time_zone = '+00:00'");
        assertThat(settings.known()).as("the mode is not known yet").isFalse();
        set("SET sql_mode = ''");
        assertThat(settings.known()).isTrue();
        set("SET character_set_client = @c");
        assertThat(settings.known()).isFalse();
        set("SET NAMES utf8mb4");
        assertThat(settings.known()).isTrue();
        settings.lost();
        set("SET NAMES utf8mb4, time_zone = DEFAULT, sql_mode = DEFAULT");
        assertThat(settings.known())
                .as("something was run that may have done anything")
                .isFalse();
        settings.reset();
        assertThat(settings.known()).isTrue();
    }

    @Test
    void valuesTrackedForTheSameCommandAreKnown() {
        settings.tracked("time_zone", "+02:00", 1);
        set("SET time_zone = @tz"); // as command 1
        assertThat(settings.known()).isTrue();
        assertThat(settings.timeZone()).isEqualTo("'+02:00'");
        settings.tracked("time_zone", "+03:00", 7);
        set("SET time_zone = @tz");
        assertThat(settings.known()).as("it told of another command").isFalse();
    }

    @Test
    void temporaryTablesEndWithTheLastDrop() {
        TableName a = new TableName(null, "a");
        TableName b = new TableName("other", "b");
        settings.tables().created(List.of(a), "shop");
        settings.tables().created(List.of(b), "shop");
        settings.tables().dropped(List.of(a), "elsewhere");
        assertThat(settings.temporaryTables()).isTrue();
        settings.tables().dropped(List.of(new TableName("shop", "a")), null);
        settings.tables().dropped(List.of(b), "shop");
        assertThat(settings.temporaryTables()).isFalse();
        settings.tables().created(List.of(a), "shop");
        settings.tables().renamed();
        settings.tables().dropped(List.of(a), "shop");
        assertThat(settings.temporaryTables()).as("under another name").isTrue();
        settings.reset();
        assertThat(settings.temporaryTables()).isFalse();
    }

    private static Runnable prepare(TextPrepared prepared, String sql) {
        return prepared.prepared(sql.getBytes(StandardCharsets.UTF_8), 0, false, () -> {
            throw new AssertionError("not kept");
        });
    }

    @Test
    void statementsPreparedInSqlAreKnownByTheirText() {
        TextPrepared prepared = new TextPrepared(new SqlAnalyzer(), false);
        prepare(prepared, "PREPARE p FROM 'SELECT * FROM t WHERE a = ?'").run();
        assertThat(prepared.executes("EXECUTE p USING @a, @b;", 0)).isTrue();
        assertThat(prepared.executes("execute q", 0)).isFalse();
        assertThat(prepared.executes("EXECUTE IMMEDIATE 'INSERT INTO t VALUES (1)'", 0))
                .isTrue();
        for (String hides : List.of(
                "SET time_zone = 1",
                "USE x",
                "CREATE TEMPORARY TABLE x (a INT)",
                "CALL p()",
                "/*! SET NAMES x */",
                "x")) {
            assertThat(prepared.executes("EXECUTE IMMEDIATE '" + hides + "'", 0))
                    .as(hides)
                    .isFalse();
        }
        Runnable again = prepare(prepared, "PREPARE P FROM 'SET sql_mode = x'");
        assertThat(prepared.executes("EXECUTE p", 0)).isFalse();
        again.run();
        assertThat(prepared.executes("EXECUTE p", 0)).isFalse();
        prepare(prepared, "PREPARE p FROM 'SELECT 1'").run();
        prepare(prepared, "PREPARE p FROM @text").run();
        assertThat(prepared.executes("EXECUTE p", 0)).isFalse();
    }
}
