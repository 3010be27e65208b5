package io.understudy.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PagesReportCommandTest {
    /** The endpoint takes no parameters; a report on all schemas would look like one on a single one. */
    @ParameterizedTest
    @CsvSource({"--schema, shop", "--top, 3", "--timeout, 5s", "--config, u.yaml"})
    void refusesOptionsThatTheAdminEndpointDoesNotTake(String option, String value) {
        StringWriter err = new StringWriter();

        int code = new CommandLine(new PagesReportCommand())
                .setErr(new PrintWriter(err))
                .execute("--admin", "127.0.0.1:1", "--server", "s1", option, value);

        assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(option + " does not go with --admin");
    }

    /** To the server 0 means no limit. */
    @Test
    void refusesATimeoutOfZero() {
        StringWriter err = new StringWriter();

        int code = new CommandLine(new PagesReportCommand())
                .setErr(new PrintWriter(err))
                .execute("-c", "u.yaml", "--server", "s1", "--timeout", "0s");

        assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--timeout must be 1ms or more");
    }
}
