package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WithdrawalTest {
    @ParameterizedTest
    @ValueSource(strings = {"witness.md", "monitoring/README.md"})
    void thePagesHaveEachReason(String page) throws Exception {
        String text = Files.readString(Path.of("../../docs").resolve(page));
        for (Withdrawal reason : Withdrawal.values()) {
            assertThat(text.lines().filter(line -> line.startsWith("| `")))
                    .as(page)
                    .anyMatch(line -> line.contains("`" + reason.label() + "`"));
        }
    }
}
