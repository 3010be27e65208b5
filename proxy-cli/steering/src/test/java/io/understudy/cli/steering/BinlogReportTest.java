package io.understudy.cli.steering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The options that the reports on a binary log share. */
class BinlogReportTest {
    private static final byte[] MAGIC = {(byte) 0xFE, 'b', 'i', 'n'};

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    static Stream<Callable<Integer>> reports() {
        return Stream.of(new SteeringReportCommand(), new ParallelismReportCommand());
    }

    private int run(Callable<Integer> report, String... arguments) {
        return new CommandLine(report)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @ParameterizedTest
    @MethodSource("reports")
    void asksForASource(Callable<Integer> report) {
        assertThat(run(report)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("give binary log files, or -c FILE to listen");
    }

    @ParameterizedTest
    @MethodSource("reports")
    void refusesToReadNoTransaction(Callable<Integer> report) {
        assertThat(run(report, "--last", "0", "binlog.000001")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--last must be 1 or more");
    }

    @ParameterizedTest
    @MethodSource("reports")
    void readsFiles(Callable<Integer> report, @TempDir Path folder) throws Exception {
        String file = Files.write(folder.resolve("binlog.000001"), MAGIC).toString();

        assertThat(run(report, file, "--json")).as("%s", err).isEqualTo(CommandLine.ExitCode.OK);

        assertThat(out.toString()).startsWith("{").contains("\"transactions\":0");
    }

    /** A report that listens for half a minute would seem to hang. */
    @ParameterizedTest
    @MethodSource("reports")
    void saysForHowLongItListens(Callable<Integer> report, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("understudy.yaml"), """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: 127.0.0.1:1
                  monitor: { user: monitor, password: secret }
                """);

        run(report, "-c", file.toString(), "--for", "1s");

        assertThat(err.toString()).contains("reads the binary log of 127.0.0.1:1 for 1s");
        err.getBuffer().setLength(0);
        run(report, "-c", file.toString(), "--for", "1s", "--json");
        assertThat(err.toString()).as("for a program").doesNotContain("reads the binary log");
    }
}
