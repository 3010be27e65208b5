package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks the examples in the documents: configurations load with the real plugins, commands exist, links resolve. */
class DocsTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
    /** Matches the first line of a block that is not a complete configuration. */
    private static final Pattern NOT_WHOLE = Pattern.compile("\\A# (fragment|yaml-language-server:).*");

    static final Path ROOT = root();
    private static final Map<String, Class<? extends Record>> PLUGINS = plugins();

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("docs/examples"))) {
            at = at.getParent();
            if (at == null) {
                throw new IllegalStateException("no docs/examples above the working directory");
            }
        }
        return at;
    }

    private static Map<String, Class<? extends Record>> plugins() {
        Map<String, Class<? extends Record>> types = new HashMap<>();
        PluginLoader.load(Path.of("no-plugins-folder")).forEach((id, plugin) -> types.put(id, plugin.configType()));
        return types;
    }

    private static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            docs.filter(path -> path.toString().endsWith(".md")).sorted().forEach(found::add);
        }
        return found;
    }

    /** The demo fills in addresses; all other variables are secrets. */
    private static String variable(String name) {
        return switch (name) {
            case "DEMO_PORT" -> "3307";
            case "DEMO_ADMIN_PORT" -> "9307";
            case "DEMO_PRIMARY" -> "127.0.0.1:3306";
            case "DEMO_STANDBY" -> "127.0.0.1:3308";
            default -> "a-secret-of-fair-length";
        };
    }

    private static void load(String text, String name) throws ConfigException {
        ConfigLoader.load(text, name, PLUGINS, DocsTest::variable);
    }

    @TestFactory
    List<DynamicTest> configurationsLoad() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path document : documents()) {
            String text = Files.readString(document);
            Matcher block = BLOCK.matcher(text);
            while (block.find()) {
                String content = block.group(2);
                boolean wrongOnPurpose =
                        text.substring(0, block.start()).stripTrailing().endsWith("`bad.yaml`:");
                if (block.group(1).equals("yaml") && !NOT_WHOLE.matcher(content).lookingAt() && !wrongOnPurpose) {
                    long line = text.substring(0, block.start()).lines().count() + 1;
                    String name = ROOT.relativize(document) + ":" + line;
                    tests.add(DynamicTest.dynamicTest(name, () -> load(content, name)));
                }
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    @TestFactory
    List<DynamicTest> examplesLoad() throws IOException {
        try (Stream<Path> examples = Files.list(ROOT.resolve("docs/examples"))) {
            return examples.filter(path -> path.toString().endsWith(".yaml"))
                    .sorted()
                    .map(path -> DynamicTest.dynamicTest(
                            path.getFileName().toString(),
                            () -> assertThat(ConfigLoader.load(path, PLUGINS, DocsTest::variable)
                                            .warnings())
                                    .isEmpty()))
                    .toList();
        }
    }

    /**
     * Checks the commands in the README's shell blocks: files of this repository are executable, and subcommands exist.
     */
    @Test
    void commandsExist() throws IOException {
        String help = help();
        Matcher block = BLOCK.matcher(Files.readString(ROOT.resolve("README.md")));
        int commands = 0;
        while (block.find()) {
            if (!block.group(1).equals("sh")) {
                continue;
            }
            for (String line : block.group(2).lines().filter(l -> !l.isBlank()).toList()) {
                String[] words = line.strip().split("\\s+");
                if (words[0].startsWith("./")) {
                    assertThat(ROOT.resolve(words[0])).as(line).isExecutable();
                }
                if (words[0].equals("./understudy")) {
                    assertThat(help).as(line).containsPattern("(?m)^  " + Pattern.quote(words[1]) + "\\b");
                }
                commands++;
            }
        }
        assertThat(commands).isPositive();
    }

    /** Checks the subcommands in the shell blocks of all documents. */
    @Test
    void subcommandsExist() throws IOException {
        String help = help();
        Pattern command = Pattern.compile("(?m)^(?:\\./|bin/)?understudy ([a-z]+)\\b");
        Set<String> named = new TreeSet<>();
        for (Path document : documents()) {
            Matcher block = BLOCK.matcher(Files.readString(document));
            while (block.find()) {
                Matcher line = command.matcher(block.group(1).equals("sh") ? block.group(2) : "");
                while (line.find()) {
                    named.add(line.group(1));
                }
            }
        }
        assertThat(named).hasSizeGreaterThan(10);
        assertThat(named).allSatisfy(one -> assertThat(help).containsPattern("(?m)^  " + one + "\\b"));
    }

    /** Checks that the program has the messages that the page quotes in its tables; … stands for a value. */
    @Test
    void theQuotedMessagesAreTheProgramsOwn() throws IOException {
        StringBuilder sources = new StringBuilder(Files.readString(ROOT.resolve("proxy-cli/src/dist/bin/understudy")));
        for (String module : List.of("proxy-core", "proxy-plugins", "proxy-cli")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    sources.append(Files.readString(file));
                }
            }
        }
        String program = sources.toString().replaceAll("\"\\s*\\+\\s*\"", "");
        Matcher row = Pattern.compile("(?m)^\\| (.*?) \\| ")
                .matcher(Files.readString(ROOT.resolve("docs/troubleshooting.md")));
        int messages = 0;
        while (row.find()) {
            Matcher quoted = Pattern.compile("`([^`]* [^`]*)`").matcher(row.group(1));
            while (quoted.find()) {
                messages++;
                for (String part : quoted.group(1).split("…")) {
                    assertThat(program.contains(part)).as(quoted.group(1)).isTrue();
                }
            }
        }
        assertThat(messages).isGreaterThan(25);
    }

    private static String help() throws IOException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.understudy.cli.Understudy",
                        "--help")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    /** A hook goes on with findings (4), and neither with a verdict against it nor with a gate that cannot be asked. */
    @TestFactory
    List<DynamicTest> hooksStopUnlessTheGateAllowsThem() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        Pattern hook = Pattern.compile("(?m)^\\s*\"?(understudy ready .* \\|\\| .*?)\"?,?$");
        Matcher line = hook.matcher(Files.readString(ROOT.resolve("docs/failover.md")));
        while (line.find()) {
            String command = line.group(1).replace(">> /var/log/understudy-ready.log", "");
            for (int code : new int[] {0, 1, 2, 4, 8, 127}) {
                tests.add(DynamicTest.dynamicTest(
                        code + ": " + command,
                        () -> assertThat(shell("understudy() { return " + code + "; }\n" + command) == 0)
                                .isEqualTo(code == 0 || code == 4)));
            }
        }
        assertThat(tests).hasSize(18);
        return tests;
    }

    private static int shell(String script) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", script).inheritIO().start().waitFor();
    }

    /** Checks that relative links of the documents resolve. */
    @Test
    void relativeLinksResolve() throws IOException {
        List<String> dead = new ArrayList<>();
        Pattern link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
        for (Path document : documents()) {
            Matcher matcher = link.matcher(Files.readString(document));
            while (matcher.find()) {
                if (!Files.exists(document.resolveSibling(matcher.group(1)))) {
                    dead.add(document.getFileName() + " -> " + matcher.group(1));
                }
            }
        }
        assertThat(dead).isEmpty();
    }
}
