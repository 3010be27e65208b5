package io.understudy.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MariaDbGtidTest {
    @Test
    void aPositionListsTheLastOfEachDomainAndServer() {
        assertThat(MariaDbGtid.list(" 0-1-57,0-2-60, 10-1-4")).hasToString("[0-1-57, 0-2-60, 10-1-4]");
        assertThat(MariaDbGtid.sequences("0-2-60,0-1-57,10-1-4")).isEqualTo(Map.of(0L, 60L, 10L, 4L));
        assertThat(MariaDbGtid.list("")).isEmpty();
        assertThatThrownBy(() -> MariaDbGtid.list("0-1-57,0-1")).hasMessageContaining("'0-1' is no MariaDB GTID");
    }

    @Test
    void onlyTheSameServersNumbersAreComparable() {
        MariaDbGtid gtid = MariaDbGtid.parse("0-1-57");
        assertThat(gtid.isUpTo(MariaDbGtid.parse("0-1-57"))).isTrue();
        assertThat(gtid.isUpTo(MariaDbGtid.parse("0-1-56"))).isFalse();
        assertThat(gtid.isUpTo(MariaDbGtid.parse("0-2-99"))).isFalse();
        assertThat(gtid.isUpTo(MariaDbGtid.parse("1-1-99"))).isFalse();
    }
}
