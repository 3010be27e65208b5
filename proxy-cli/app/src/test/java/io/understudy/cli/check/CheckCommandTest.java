package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.cli.Understudy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the check finds without a server. */
class CheckCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private int check(String text) throws Exception {
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        Path file = Files.writeString(folder.resolve("understudy.yaml"), text);
        return line.execute("check", "-c", file.toString());
    }

    /** A start with such a file fails. */
    @Test
    void aCertificateThatCannotBeUsedIsAnError() throws Exception {
        Path bad = Files.writeString(folder.resolve("bad.pem"), "no certificate");
        String tls = "tls: { mode: verify-ca, ca: " + bad + " }";
        assertThat(check("primary: { address: 'p:1', " + tls + " }\nadmin: { tls: { certificate: " + bad + ", key: "
                        + bad + " } }\n"))
                .isEqualTo(2);
        assertThat(out.toString())
                .contains("primary.tls: ", "admin.tls: ", bad.toString())
                .doesNotContain("valid\n");
        assertThat(check("primary: { address: 'p:1' }\n")).isZero();
    }
}
