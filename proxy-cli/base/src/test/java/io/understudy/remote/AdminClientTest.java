package io.understudy.remote;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which address is asked. None of these names exists. */
class AdminClientTest {
    @ParameterizedTest
    @CsvSource({
        "proxy.invalid, http://proxy.invalid:9307/api/top",
        "proxy.invalid:1234, http://proxy.invalid:1234/api/top",
        "http://proxy.invalid/, http://proxy.invalid/api/top",
    })
    void aHostAloneHasTheDefaultPort(String given, String asked) {
        assertThatThrownBy(() -> new AdminClient(given, null).view("top"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(asked);
    }
}
