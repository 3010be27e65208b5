package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LostTextTest {
    @Test
    void whatCannotBeRescuedIsNamed() {
        String text = LostText.of(Map.of(
                "survivor", Map.of("name", "standby-1"),
                "primary", Map.of("read", false),
                "answeredAndMissing",
                        Map.of(
                                "count",
                                3,
                                "notCaptured",
                                1,
                                "transactions",
                                List.of(
                                        Map.of(
                                                "gtid",
                                                "0-1-99",
                                                "captured",
                                                false,
                                                "session",
                                                7,
                                                "user",
                                                "app",
                                                "digest",
                                                "ab",
                                                "answeredAt",
                                                "12:00"),
                                        Map.of("gtid", "0-1-97", "captured", true, "tables", List.of("shop.t")))),
                "kept", Map.of("answersLost", 4)));
        assertThat(text)
                .contains("Answered OK and missing: 3", "1 of these were not captured and cannot be rescued")
                .containsPattern("0-1-99 +session 7 \\(app\\) digest ab answered 12:00 NOT CAPTURED")
                .contains("4 OKs were not recorded");
    }
}
