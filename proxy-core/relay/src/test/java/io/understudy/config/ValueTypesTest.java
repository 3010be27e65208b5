package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.ByteSize;
import io.understudy.base.Cidr;
import io.understudy.base.Durations;
import io.understudy.base.Secret;
import java.net.InetAddress;
import java.time.Duration;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueTypesTest {

    @ParameterizedTest
    @ValueSource(strings = {"h:1", "127.0.0.1:3306", "[::1]:3306", "[fe80::1]:0", "a_b.c-d:65535", "unix:/run/x.sock"})
    void addressesPrintAsTheyAreWritten(String text) {
        assertThat(Address.parse(text)).hasToString(text);
        assertThat(text).matches(Address.PATTERN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":1",
                "h",
                "h:",
                "h:x",
                "h:65536",
                "h:-1",
                "::1:3306",
                "[::1]",
                "[::x]:1",
                "[h]:1",
                "h h:1",
                "unix:",
                "unix:x",
                "unix:/",
                "h:1 ",
                "h:999999"
            })
    void otherAddressesAreRefused(String text) {
        assertThatThrownBy(() -> Address.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:1, true",
        "127.1.2.3:1, true",
        "localhost:1, true",
        "[::1]:1, true",
        "unix:/run/x.sock, true",
        "0.0.0.0:1, false",
        "[::]:1, false",
        "10.0.0.7:1, false",
        "127.0.0.1.example:1, false",
        "proxy.example:1, false"
    })
    void onlyLoopbackIsForThisHostAlone(String text, boolean loopback) {
        assertThat(Address.parse(text).isLoopback()).isEqualTo(loopback);
    }

    @Test
    void aSocketPathMustFitTheKernel() {
        assertThat(Address.parse("unix:/" + "x".repeat(106)).isUnix()).isTrue();
        assertThatThrownBy(() -> Address.parse("unix:/" + "x".repeat(107))).hasMessageContaining("107 bytes");
    }

    @Test
    void addressesAreNotResolved() {
        assertThat(Address.parse("no.such.host.invalid:1").toInet().isUnresolved())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.128/25, 10.0.0.127, false",
        "10.0.0.128/25, 10.0.0.129, true",
        "10.0.0.1, 10.0.0.1, true",
        "10.0.0.1, 10.0.0.2, false",
        "0.0.0.0/0, 1.2.3.4, true",
        "0.0.0.0/0, ::1, false",
        "::/0, ::1, true",
        "::/0, 1.2.3.4, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "fd00::/9, fd80::1, false",
        "::1, ::1, true",
    })
    void networksContain(String network, String address, boolean expected) throws Exception {
        assertThat(Cidr.parse(network).contains(InetAddress.getByName(address))).isEqualTo(expected);
        assertThat(network).matches(Cidr.PATTERN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/33",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0/8",
                "10.0.0.256",
                "x/8",
                "::/129",
                "10.0.0.1/8"
            })
    void otherNetworksAreRefused(String text) {
        assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0B, 0",
        "512B, 512",
        "1KB, 1000",
        "64KiB, 65536",
        "1MB, 1000000",
        "16MiB, 16777216",
        "2GB, 2000000000",
        "1GiB, 1073741824"
    })
    void sizes(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
        assertThat(ByteSize.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "64", "64 KiB", "-1B", "64kib", "1TiB", "1.5KiB", "999999999999999999GiB"})
    void malformedSizesAreRefused(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 200)
    void everySizeReadsBack(@ForAll @LongRange(min = 0, max = 999_999_999_999_999_999L) long bytes) {
        ByteSize size = new ByteSize(bytes);
        assertThat(ByteSize.parse(size.toString())).isEqualTo(size);
        assertThat(size.toString()).matches(ByteSize.PATTERN);
    }

    @Property(tries = 200)
    void everyDurationReadsBack(@ForAll @IntRange(min = 0, max = 2_000_000) int number, @ForAll("units") String unit) {
        Duration duration = Durations.parse(number + unit);
        assertThat(Durations.parse(Durations.format(duration))).isEqualTo(duration);
        assertThat(Pattern.matches(Durations.PATTERN, Durations.format(duration)))
                .isTrue();
    }

    @Provide
    Arbitrary<String> units() {
        return Arbitraries.of("us", "ms", "s", "m", "h");
    }

    @ParameterizedTest
    @CsvSource({"250ms, 250", "5s, 5000", "10m, 600000", "1h, 3600000", "2d, 172800000", "0s, 0"})
    void durations(String text, long millis) {
        assertThat(Durations.parse(text)).hasMillis(millis);
        assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "5 s", "s", "-5s", "1.5s", "5S", "999999999999999d"})
    void malformedDurationsAreRefused(String text) {
        assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSecretComparesByTextAndPrintsNothing() {
        assertThat(Secret.parse("a"))
                .isEqualTo(Secret.parse("a"))
                .isNotEqualTo(Secret.parse("b"))
                .hasToString("***");
    }
}
