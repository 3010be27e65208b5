package io.understudy.plugins.blackbox.witness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class WithdrawalTest {
    @Test
    void thePageHasEachReason() throws Exception {
        String text = Files.readString(Path.of("../../docs/witness.md"));
        for (Withdrawal reason : Withdrawal.values()) {
            assertThat(text.lines().filter(line -> line.startsWith("| `")))
                    .anyMatch(line -> line.contains("`" + reason.label() + "`"));
        }
    }
}
