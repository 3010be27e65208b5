package io.understudy.plugins.blackbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;

/** A process that is killed (-9) has on disk all that it has said to be there. */
@Timeout(300)
class KilledWriterTest extends LogHarness {
    @RepeatedTest(4)
    void nothingThatWasPrintedIsMissing(RepetitionInfo repetition) throws Exception {
        key = repetition.getCurrentRepetition() == 1 ? KEY : null;
        long next = 1;
        for (int kill = 0; kill < 2; kill++) {
            Process process = new ProcessBuilder(
                            System.getProperty("java.home") + "/bin/java",
                            "-Xshare:auto",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledWriter.class.getName(),
                            directory.toString(),
                            Boolean.toString(repetition.getCurrentRepetition() % 2 == 0),
                            Long.toString(next),
                            key == null ? "" : key.reveal())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            long printed = 0;
            try (BufferedReader out = process.inputReader(StandardCharsets.US_ASCII)) {
                long until = next + 7L * repetition.getCurrentRepetition();
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    printed = Long.parseLong(line);
                    if (printed == until || printed == until + 1) {
                        process.toHandle().destroyForcibly(); // what it prints meanwhile counts, too
                    }
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            Lines lines = reopened();
            List<String> found = new ArrayList<>(lines.all);
            found.removeIf(each -> each.startsWith("start"));
            assertThat(found).hasSizeGreaterThanOrEqualTo((int) printed);
            for (int i = 0; i < found.size(); i++) {
                long number = i + 1L;
                assertThat(found.get(i)).isEqualTo("0-1-" + number + " " + "x".repeat((int) (number % 5_000)) + number);
            }
            next = found.size() + 1L;
        }
    }
}
