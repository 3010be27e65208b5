package io.understudy.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DemoCommandTest {
    private final StringWriter out = new StringWriter();
    private final CommandLine demo = new CommandLine(new DemoCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(out, true));

    @Test
    void hasAnExperimentForEachSubject() {
        assertThat(demo.getSubcommands().keySet())
                .containsExactlyInAnyOrder(
                        "steering", "domains", "pages", "failover", "replay", "semi-sync", "warming", "witness");
    }

    @ParameterizedTest
    @CsvSource({
        "pages, --rows=0, --rows and --updates must be 1 or more",
        "failover, --sessions=0, --sessions and --transactions must be 1 or more",
        "warming, --pool=7, --pool must be 8 to 10000",
        "semi-sync, --rtt=3s, a round trip must be 0ms to 2s",
        "witness, --rtt=3s, a round trip must be 0ms to 2s",
    })
    void refusesWhatCannotBeMeasured(String name, String option, String message) {
        assertThat(demo.execute(name, option)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(out.toString()).contains(message).contains("demo " + name);
    }
}
