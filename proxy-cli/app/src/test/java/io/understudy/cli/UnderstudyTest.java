package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class UnderstudyTest {
    @Test
    void helpTellsOfACommand() {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        assertThat(line.execute("help", "check")).isZero();
        assertThat(out.toString()).contains("Usage: understudy check");
    }
}
