package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SettingsModelTest {
    private static final int UTF8MB4 = 45;

    private final SettingsModel settings = new SettingsModel();

    @BeforeEach
    void login() {
        settings.login(UTF8MB4);
    }

    private void set(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        SetStatement parsed = SetStatement.parse(text, 0, text.length, 0);
        assertThat(parsed).as(sql).isNotNull();
        settings.apply(parsed);
    }

    @Test
    void followsWhatConnectorJSendsAtLogin() {
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
    void losesTrackOfWhatItCannotRepeat() {
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
    void aCollationNobodyKnowsMeansTheWorst() {
        settings.login(0);
        assertThat(settings.sqlModes() & SqlModes.UNSAFE_CHARSET).isNotZero();
    }

    @Test
    void ignoresOtherScopes() {
        set("SET GLOBAL sql_mode = 'ANSI', @x = 1");
        assertThat(settings.sqlMode()).isNull();
        assertThat(settings.known()).isTrue();
    }
}
