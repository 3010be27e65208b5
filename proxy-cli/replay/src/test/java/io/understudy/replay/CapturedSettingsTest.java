package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapturedSettingsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION sql_mode = 'ANSI_QUOTES', SESSION time_zone = '+00:00'",
                "NAMES latin2",
                "sql_mode = ''"
            })
    void aSessionsSettingsAreTaken(String assignments) {
        assertThat(CapturedSettings.areOfTheSessionAlone(assignments)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NAMES utf8mb4, GLOBAL read_only = 0",
                "@@global.read_only = 0",
                "PERSIST max_connections = 1",
                "PASSWORD = 'x'",
                "NAMES utf8mb4; DROP TABLE t",
                "STATEMENT max_statement_time = 0 FOR DELETE FROM t"
            })
    void whatReachesOthersIsNot(String assignments) {
        assertThat(CapturedSettings.areOfTheSessionAlone(assignments)).isFalse();
    }
}
