package io.understudy.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    @Test
    void aLineIsARequest() {
        assertThat(ExplainRequest.request(
                        "{\"id\":7,\"sql\":\"SELECT 1\",\"user\":\"app\",\"schema\":null,\"more\":{\"sql\":[]}}"))
                .isEqualTo(new ExplainRequest(7L, "SELECT 1", "app", null, null, null));
        assertThat(ExplainRequest.request("{\"sql\":\"SELECT 1\",\"id\":\"a\"}").id())
                .isEqualTo("a");
    }

    @Test
    void otherLinesAreRefused() {
        for (String line : List.of("{", "SELECT 1", "{\"sql\":\"SELECT 1\"")) {
            assertThatThrownBy(() -> ExplainRequest.request(line))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("not JSON: ");
        }
        for (String line : List.of("[]", "\"SELECT 1\"", "7", "null")) {
            assertThatThrownBy(() -> ExplainRequest.request(line))
                    .hasMessageStartingWith("expected a JSON object such as");
        }
        for (String line : List.of("{}", "{\"sql\":null}", "{\"sql\":{\"sql\":\"SELECT 1\"}}")) {
            assertThatThrownBy(() -> ExplainRequest.request(line))
                    .hasMessageStartingWith("the key \"sql\" with the statement's text is missing");
        }
    }
}
