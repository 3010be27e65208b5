package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Every mutation of a file gives either a configuration or a list of printable problems. */
class MutationTest {

    private static final String VALID = """
            transport: auto
            listen: { address: [127.0.0.1:3307, "unix:/run/x.sock"], tls: { mode: disabled }, maxConnections: 10 }
            primary:
              address: 127.0.0.1:3306
              tls: &tls { mode: preferred }
              connectTimeout: 5s
              monitor: { user: understudy, password: "${env:PASSWORD}" }
            standbys:
              - name: standby-1
                address: "[::1]:3308"
                tls: *tls
                user: mirror
                password: topsecret
            limits: { handshakeTimeout: 10s, statementBytes: 64KiB }
            plugins:
              sample:
                order: none
                queue: { statements: 5, bytes: 1KiB }
                rules: [{ name: one, sample: 10% }]
                weights: { a: 1 }
            """;

    private record Edit(int at, int remove, String insert) {
        String apply(String text) {
            int from = Math.floorMod(at, text.length() + 1);
            int to = Math.min(text.length(), from + remove);
            return text.substring(0, from) + insert + text.substring(to);
        }
    }

    @Provide
    Arbitrary<List<Edit>> edits() {
        Arbitrary<String> tokens = Arbitraries.of(
                "",
                " ",
                "\n",
                "\t",
                ":",
                ": ",
                "- ",
                "{",
                "}",
                "[",
                "]",
                ",",
                "\"",
                "'",
                "&tls ",
                "*tls",
                "!",
                "!!int ",
                "|",
                ">",
                "#",
                "%",
                "@",
                "`",
                "---\n",
                "...",
                "? ",
                "<<: *tls",
                "null",
                "~",
                "${",
                "${env:",
                "$${",
                "}",
                "\u0000",
                "\u0085",
                "\ufeff",
                "\ud83d\ude00",
                "\ud800",
                "99999999999999999999",
                "-1",
                "0x1F",
                "1e400",
                ".nan",
                "true",
                "listen",
                "enabled: no",
                "\\");
        Arbitrary<String> noise = Arbitraries.strings().ofMaxLength(5);
        return Combinators.combine(
                        Arbitraries.integers().between(0, VALID.length()),
                        Arbitraries.integers().between(0, 12),
                        Arbitraries.oneOf(tokens, noise))
                .as(Edit::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    @Property(tries = 3000)
    void onlyAConfigExceptionIsThrown(@ForAll("edits") List<Edit> edits) {
        String text = VALID;
        for (Edit edit : edits) {
            text = edit.apply(text);
        }
        try {
            LoadedConfig loaded = ConfigTexts.text(text);
            assertThat(loaded.toString()).isNotEmpty();
            assertThat(ConfigDiff.between(loaded, loaded).changes()).isEmpty();
        } catch (ConfigException e) {
            assertThat(e.problems()).isNotEmpty();
            assertThat(e.getMessage()).startsWith("test.yaml:").doesNotContain("hunter2-from-outside");
            e.problems()
                    .forEach(problem -> assertThat(problem.position().line()).isPositive());
        }
    }
}
