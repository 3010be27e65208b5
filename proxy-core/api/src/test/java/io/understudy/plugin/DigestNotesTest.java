package io.understudy.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DigestNotesTest {
    /** The list of digests is asked for when something is wrong already. */
    @Test
    void aPluginThatFailsLeavesTheOthersFigures() {
        byte[] text = "SELECT a FROM t".getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = new SqlAnalyzer().summarize(text, 0, text.length, SqlModes.NONE);
        try (DigestNotes notes = new DigestNotes()) {
            notes.add("broken", subject -> {
                throw new IllegalStateException("planted");
            });
            notes.add("mirror", subject -> Map.of("mirrored", true));
            assertThat(notes.of(new DigestNotes.Subject(summary, List.of(), List.of(), null)))
                    .isEqualTo(Map.of(
                            "broken",
                            Map.of(
                                    "error",
                                    "the figures 'broken' of this digest failed: java.lang.IllegalStateException:"
                                            + " planted; see the log"),
                            "mirror",
                            Map.of("mirrored", true)));
        }
    }
}
