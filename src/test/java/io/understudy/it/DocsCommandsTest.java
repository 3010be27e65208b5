package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.arch.Checkout;
import io.understudy.cli.Understudy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;

/** The program's own parser accepts every command of the documents, with its options and further words. */
class DocsCommandsTest {
    private static final Pattern INLINE = Pattern.compile("`((?:\\./|bin/)?understudy [^`]+)`");
    private static final Pattern TESTS = Pattern.compile("-Dtest='?([A-Za-z,*]+)");

    private static final CommandLine PROGRAM = program();

    private static CommandLine program() {
        CommandLine line = Understudy.commandLine();
        line.setCaseInsensitiveEnumValuesAllowed(true);
        collectErrors(line);
        return line;
    }

    private static void collectErrors(CommandLine line) {
        line.getCommandSpec().parser().collectErrors(true);
        line.getSubcommands().values().forEach(DocsCommandsTest::collectErrors);
    }

    /** Returns what is wrong with a command. In a sentence it may lack what it needs. */
    private static List<String> problems(List<String> words, boolean whole) {
        List<String> problems = new ArrayList<>();
        CommandLine.ParseResult parsed = PROGRAM.parseArgs(words.toArray(String[]::new));
        while (true) {
            for (Exception problem : parsed.errors()) {
                if (whole || !(problem instanceof MissingParameterException)) {
                    problems.add(String.valueOf(problem.getMessage()));
                }
            }
            problems.addAll(parsed.unmatched());
            if (!parsed.hasSubcommand()) {
                return problems;
            }
            parsed = parsed.subcommand();
        }
    }

    /** Puts values in the places of a sentence's names for them. */
    private static String filled(String command) {
        return command.replaceAll("\\s+", " ")
                .replace("HOST:PORT", "10.0.0.7:3306")
                .replace("FILE|-", "-")
                .replace("PID", "1")
                .replace("BINLOG…", "binlog.000001");
    }

    @Test
    void theProgramParsesEveryBlock() throws IOException {
        List<String> wrong = new ArrayList<>();
        int commands = 0;
        for (Path document : DocsTest.documents()) {
            Matcher block = DocsTest.BLOCK.matcher(Files.readString(document));
            while (block.find()) {
                if (!block.group(1).equals("sh")) {
                    continue;
                }
                for (List<String> words : ShellCommands.understudy(block.group(2))) {
                    commands++;
                    problems(words, true)
                            .forEach(problem -> wrong.add(document.getFileName() + ": " + words + ": " + problem));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(commands).isGreaterThan(30);
    }

    @Test
    void theProgramParsesEveryCommandInASentence() throws IOException {
        List<String> wrong = new ArrayList<>();
        int commands = 0;
        for (Path document : DocsTest.documents()) {
            Matcher inline = INLINE.matcher(
                    DocsTest.BLOCK.matcher(Files.readString(document)).replaceAll(""));
            while (inline.find()) {
                for (List<String> words : ShellCommands.understudy(filled(inline.group(1)))) {
                    commands++;
                    problems(words, false)
                            .forEach(problem -> wrong.add(document.getFileName() + ": " + words + ": " + problem));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(commands).isGreaterThan(60);
    }

    /** Each of them is a class, and each property is read by some class. */
    @Test
    void theTestsThatMavenIsToRunExist() throws IOException {
        StringBuilder sources = new StringBuilder();
        Set<String> classes = new TreeSet<>();
        List<Path> files = new ArrayList<>(Checkout.javaFiles("src/test/java"));
        files.addAll(Checkout.javaFiles(Checkout.ROOT.resolve("src/test/java")));
        for (Path file : files) {
            classes.add(file.getFileName().toString().replace(".java", ""));
            sources.append(Files.readString(file));
        }
        Set<String> named = new TreeSet<>();
        Set<String> properties = new TreeSet<>();
        for (Path document : DocsTest.documents()) {
            String text = Files.readString(document);
            Matcher tests = TESTS.matcher(text);
            while (tests.find()) {
                named.addAll(List.of(tests.group(1).split(",")));
            }
            Matcher property =
                    Pattern.compile("-D((?:understudy\\.|soak\\.)[A-Za-z.]+)=").matcher(text);
            while (property.find()) {
                properties.add(property.group(1));
            }
        }
        named.removeIf(name -> name.contains("*"));
        assertThat(classes).containsAll(named);
        assertThat(named).hasSizeGreaterThan(5);
        assertThat(properties).allSatisfy(property -> assertThat(sources).contains("\"" + property + "\""));
    }

    @Test
    void aCommandThatIsWrongIsFound() {
        String wrong = "understudy replay a.log --to h:1 --user u --read-only # x";
        assertThat(problems(ShellCommands.understudy(wrong).get(0), true))
                .anySatisfy(problem -> assertThat(problem).contains("--read-only"));
        assertThat(problems(List.of("capture", "begin"), false)).isNotEmpty();
        assertThat(problems(List.of("switchover"), true)).isNotEmpty();
        assertThat(ShellCommands.of("a 'b | c' >d \\\n  -e \"f\" # g\nh | understudy x - --to y; z 2>&1"))
                .containsExactly(
                        List.of("a", "b | c", "-e", "f"),
                        List.of("h"),
                        List.of("understudy", "x", "-", "--to", "y"),
                        List.of("z"));
    }
}
