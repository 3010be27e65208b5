package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.arch.Checkout;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginLoader;
import io.understudy.rules.Match;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Checks the examples in the documents: configurations load with the real plugins, links resolve. DocsCommandsTest
 * checks the commands.
 */
class DocsTest {
    /** A block of code; in a list it is indented. */
    static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\w+)\\n(.*?)^ *```$");
    /** Matches the first line of a block that another program reads. */
    private static final Pattern FOREIGN = Pattern.compile("\\A# (fragment of |yaml-language-server:).*");
    /** What a fragment lacks; its own keys take the place of these. */
    private static final String AROUND_FRAGMENT = """
            listen: { address: "127.0.0.1:3307" }
            primary: { address: "127.0.0.1:3306", monitor: { user: u, password: p } }
            standbys: [ { name: standby-1, address: "127.0.0.1:3308", user: u, password: p } ]
            admin: { address: "127.0.0.1:9307", token: a-token-of-fair-length }
            """;

    /** The sections of the plugins in docs/plugin, which PluginGuideTest compiles. */
    record RefusedDigests(List<String> digests) {}

    record TenantLimit(String attribute, List<TenantRule> rules) {}

    record TenantRule(String name, Match match, Integer sessions) {}

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
        types.put("refused-digests", RefusedDigests.class);
        types.put("tenant-limit", TenantLimit.class);
        return types;
    }

    static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String page :
                List.of("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")) {
            found.add(ROOT.resolve(page));
        }
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
        String whole = text.startsWith("# fragment\n") ? completed(text) : text;
        ConfigLoader.load(
                whole.replaceAll("\\$\\{file:[^}]*}", "a-secret-of-fair-length"), name, PLUGINS, DocsTest::variable);
    }

    private static String completed(String fragment) {
        Map<Object, Object> keys = new LinkedHashMap<>(yaml(AROUND_FRAGMENT));
        keys.putAll(yaml(fragment));
        return new Dump(DumpSettings.builder().build()).dumpToString(keys);
    }

    private static Map<?, ?> yaml(String text) {
        return (Map<?, ?>)
                Objects.requireNonNull(new Load(LoadSettings.builder().build()).loadFromString(text));
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
                if (block.group(1).equals("yaml") && !FOREIGN.matcher(content).lookingAt() && !wrongOnPurpose) {
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

    /** Checks that the files of this repository that the README's shell blocks run are executable. */
    @Test
    void theReadmesCommandsAreExecutable() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(ROOT.resolve("README.md")));
        int commands = 0;
        while (block.find()) {
            for (List<String> words : ShellCommands.of(block.group(1).equals("sh") ? block.group(2) : "")) {
                assertThat(words.get(0)).startsWith("./");
                assertThat(ROOT.resolve(words.get(0))).isExecutable();
                commands++;
            }
        }
        assertThat(commands).isEqualTo(3);
    }

    /** Checks that the program has the messages that the page quotes in its tables; … stands for a value. */
    @Test
    void theQuotedMessagesAreTheProgramsOwn() throws IOException {
        String launcher = Files.readString(ROOT.resolve("proxy-cli/app/src/dist/bin/understudy"));
        String program = (launcher + Checkout.program()).replaceAll("\"\\s*\\+\\s*\"", "");
        Matcher row = Pattern.compile("(?m)^\\| (.*?) \\| ")
                .matcher(Files.readString(ROOT.resolve("docs/troubleshooting.md")));
        int messages = 0;
        while (row.find()) {
            Matcher quoted = Pattern.compile("`([^`]* [^`]*)`").matcher(row.group(1));
            while (quoted.find()) {
                messages++;
                assertThat(Stream.of(quoted.group(1).split("…"))
                                .mapToInt(String::length)
                                .max())
                        .as("what can be found of: " + quoted.group(1))
                        .satisfies(longest -> assertThat(longest.orElse(0)).isGreaterThan(7));
                for (String part : quoted.group(1).split("…")) {
                    assertThat(program.contains(part)).as(quoted.group(1)).isTrue();
                }
            }
        }
        assertThat(messages).isGreaterThan(25);
    }

    /** A hook goes on with findings (4), and neither with a verdict against it nor with a gate that cannot be asked. */
    @TestFactory
    List<DynamicTest> hooksStopUnlessTheGateAllowsThem() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        Pattern hook = Pattern.compile("(?m)^\\s*\"?(understudy ready .* \\|\\| .*?)\"?,?$");
        Matcher line = hook.matcher(Files.readString(ROOT.resolve("docs/failover-tools.md")));
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

    /** Checks that relative links of the documents resolve, to a heading too. */
    @Test
    void relativeLinksResolve() throws IOException {
        List<String> dead = new ArrayList<>();
        Pattern link = Pattern.compile("\\]\\(([^)#:\\s]*)(?:#([^)\\s]*))?\\)");
        int anchors = 0;
        for (Path document : documents()) {
            Matcher matcher =
                    link.matcher(BLOCK.matcher(Files.readString(document)).replaceAll(""));
            while (matcher.find()) {
                Path target = matcher.group(1).isEmpty() ? document : document.resolveSibling(matcher.group(1));
                String anchor = matcher.group(2);
                if (!Files.exists(target)) {
                    dead.add(document.getFileName() + " -> " + matcher.group(1));
                } else if (anchor != null) {
                    anchors++;
                    if (!anchors(target).contains(anchor)) {
                        dead.add(document.getFileName() + " -> " + matcher.group(1) + "#" + anchor);
                    }
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(anchors).isGreaterThan(50);
    }

    /** Checks that the index links to each page, so that nobody needs to know its name. */
    @Test
    void theIndexReachesEveryPage() throws IOException {
        Path folder = ROOT.resolve("docs");
        Path index = folder.resolve("README.md");
        Set<Path> linked = new HashSet<>();
        Matcher link = Pattern.compile("\\]\\(([^)#:\\s]+)").matcher(Files.readString(index));
        while (link.find()) {
            linked.add(folder.resolve(link.group(1)).normalize());
        }
        assertThat(documents().stream().filter(page -> page.startsWith(folder) && !page.equals(index)))
                .isNotEmpty()
                .isSubsetOf(linked);
    }

    /** Returns the anchors that GitHub gives to a page's headings. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> found = new HashSet<>();
        Matcher heading = Pattern.compile("(?m)^#+ +(.*)$")
                .matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""));
        while (heading.find()) {
            String slug = heading.group(1)
                    .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            for (int i = 0; !found.add(i == 0 ? slug : slug + "-" + i); i++) {}
        }
        return found;
    }
}
