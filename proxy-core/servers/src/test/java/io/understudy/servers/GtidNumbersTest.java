package io.understudy.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GtidNumbersTest {
    private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    private static final String B = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

    private static GtidNumbers of(String text) {
        return GtidNumbers.ofMySql(text);
    }

    @Test
    void readsAndWritesSets() {
        String text = A + ":1-5:7," + A + ":blue:3," + B + ":1";
        assertThat(of(text.replace(",", ",\n").toUpperCase(java.util.Locale.ROOT)))
                .hasToString(text);
        assertThat(of("")).hasToString("").matches(GtidNumbers::isEmpty);
    }

    @ParameterizedTest
    @ValueSource(strings = {":", "a", ":1", "a:", "a::1", "a:1:", "a:1-x", "a:-", "a:1-2-3"})
    void refusesWhatIsNoSet(String text) {
        assertThatThrownBy(() -> of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "1-5,   6,    1-6",
        "1-5,   8,    1-5:8",
        "1-5:8, 6-7,  1-8",
        "3-5,   1,    1:3-5",
        "3-5,   2,    2-5",
        "3-5:9, 1-20, 1-20",
        "3-5,   4,    3-5",
        "1:5:9, 4-6,  1:4-6:9",
        "1-5,   5-2,  1-5"
    })
    void addsIntervals(String before, String added, String after) {
        GtidNumbers numbers = of(A + ":" + before);
        String[] ends = added.split("-");
        numbers.add(A, Long.parseLong(ends[0]), Long.parseLong(ends[ends.length - 1]));
        assertThat(numbers).hasToString(A + ":" + after);
    }

    @ParameterizedTest
    @CsvSource({
        "1-10,     1-10,  ''",
        "1-10,     3-4,   1-2:5-10",
        "1-10,     1-9,   10",
        "5-10,     1-7,   8-10",
        "1-3:7-9,  2:8,   1:3:7:9",
        "1-3,      7-9,   1-3",
        "1-10,     '',    1-10"
    })
    void subtracts(String from, String taken, String left) {
        GtidNumbers rest = of(A + ":" + from).minus(of(taken.isEmpty() ? "" : A + ":" + taken));
        assertThat(rest).hasToString(left.isEmpty() ? "" : A + ":" + left);
    }

    @Test
    void subtractsNothingOfAnotherSource() {
        assertThat(of(A + ":1-3").minus(of(B + ":1-3"))).hasToString(A + ":1-3");
    }

    @Test
    void containsAndCounts() {
        GtidNumbers numbers = of(A + ":1-3:7:10-12");
        assertThat(java.util.stream.LongStream.rangeClosed(0, 13).filter(n -> numbers.contains(A, n)))
                .containsExactly(1L, 2L, 3L, 7L, 10L, 11L, 12L);
        assertThat(numbers.contains(B, 1)).isFalse();
        assertThat(numbers.count()).isEqualTo(7);
    }
}
