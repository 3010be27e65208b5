package io.understudy.cli;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A primary and its standby, on which a test runs {@code check}. */
abstract class CheckedPair {
    static EmbeddedPair pair;

    @TempDir
    Path folder;

    record Said(int status, String text) {}

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        pair.primary().execute("CREATE DATABASE shop");
        pair.primary().execute("CREATE DATABASE de_pot", "CREATE DATABASE IF NOT EXISTS test");
        pair.primary()
                .execute(
                        "GRANT SELECT, INSERT, DELETE HISTORY, CREATE ROUTINE ON test.* TO PUBLIC",
                        "GRANT SELECT, UPDATE ON `test\\_%`.* TO PUBLIC");
        pair.createAccount(
                "monitor",
                "secret",
                "REPLICA MONITOR, BINLOG MONITOR, REPLICATION SLAVE, PROCESS, SHOW DATABASES ON *.*");
        pair.createAccount("half", "secret", "SELECT ON shop.*", "REPLICA MONITOR ON *.*");
        pair.createAccount("reader", "secret", "SELECT ON shop.*", "SELECT ON `de\\_pot`.*", "REPLICA MONITOR ON *.*");
        pair.createAccount("writer", "secret", "SELECT, INSERT, DELETE ON shop.*", "REPLICA MONITOR ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    Said check(String standby, String rules, String... options) throws IOException {
        Path file = Files.writeString(
                folder.resolve("check.yaml"), """
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys:
                  - %s
                plugins:
                  mirror:
                    rules:
                      - %s
                """.formatted(pair.primary().port(), standby, rules));
        return check(file, options);
    }

    static Said check(Path file, String... options) {
        StringWriter out = new StringWriter();
        CommandLine line = Understudy.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] arguments = new String[options.length + 3];
        arguments[0] = "check";
        arguments[1] = "-c";
        arguments[2] = file.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return new Said(line.execute(arguments), out.toString());
    }

    /** @param primary the section's lines without tls */
    Said connect(String primary, String plugins) throws IOException {
        return check(
                Files.writeString(folder.resolve("primary.yaml"), """
                        primary:
                          tls: { mode: disabled }
                        %splugins:
                        %s""".formatted(primary.indent(2), plugins.indent(2))),
                "--connect");
    }

    static String standby(int port, String user) {
        return "{ name: s1, address: \"127.0.0.1:%d\", tls: { mode: disabled }, user: %s, password: secret }"
                .formatted(port, user);
    }

    Said connect(int port, String user) throws IOException {
        return check(standby(port, user), "{ name: all }", "--connect");
    }
}
