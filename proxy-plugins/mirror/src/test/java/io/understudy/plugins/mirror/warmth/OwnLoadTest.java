package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnLoadTest {
    private static OwnLoad with(String status) {
        return new OwnLoad(true, true, 25, 128 << 20, status);
    }

    /** Texts of MariaDB 10.11 and 11.4 and MySQL 9.7. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Buffer pool(s) load completed at 261122  9:30:00               | completed
            Loading buffer pool(s) from /data/ib_buffer_pool               | loading
            Loaded 4096/16000 pages                                        | loading
            Loading of buffer pool not started                             | none
            Buffer pool(s) load aborted on request                         | incomplete
            Cannot open '/data/ib_buffer_pool' for reading: No such file   | incomplete
            """)
    void theStateIsReadFromTheServersText(String status, String state) {
        assertThat(with(status).state()).isEqualTo(state);
    }

    @Test
    void aServerWithoutTheStatusHasLoadedNothing() {
        assertThat(with("").state()).isEqualTo("none");
    }

    @Test
    void bothSettingsAreNeeded() {
        assertThat(with("").effective()).isTrue();
        assertThat(new OwnLoad(false, true, 25, 1, "").effective()).isFalse();
        assertThat(new OwnLoad(true, false, 25, 1, "").effective()).isFalse();
        assertThat(new OwnLoad(true, true, 0, 1, "").effective()).isFalse();
    }
}
