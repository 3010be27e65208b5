package io.understudy.arch;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks which folder may import which: the import table of docs/architecture.md, folder by folder, without cycles. And
 * that each class has a name of its own.
 */
class ArchitectureTest {
    private static final String ROOT = "io.understudy.";
    private static final String PLUGINS = ROOT + "plugins.";
    /** The one package that plugins share. */
    private static final String SHARED = "binlog";

    /** Value types and small utilities. Every folder and every plugin may import this package. */
    private static final String BASE = "base";

    /** Protocol constants that views expose unchanged. Every folder and every plugin may use them. */
    private static final DescribedPredicate<JavaClass> PROTOCOL_CONSTANTS = type(CommandCode.class)
            .or(type(Capabilities.class))
            .or(type(ServerStatus.class))
            .as("constants of the protocol");

    /** Maps each folder of proxy-core to the folders of the project that it may import. */
    private static final Map<String, List<String>> MAY_IMPORT = new TreeMap<>(Map.ofEntries(
            Map.entry("base", List.of()),
            Map.entry("wire", List.of()),
            Map.entry("plugin", List.of("sql")),
            Map.entry("sql", List.of()),
            Map.entry("rules", List.of("sql", "plugin")),
            Map.entry("handshake", List.of("wire")),
            Map.entry("command", List.of("wire", "sql", "plugin")),
            Map.entry("inject", List.of("command", "plugin", "wire", "sql")),
            Map.entry("host", List.of("plugin", "server", "connection", "config", "metrics")),
            // It assembles a session from the parts in the table, and so imports what these parts work on.
            Map.entry("session", List.of("handshake", "command", "inject", "host", "metrics", "plugin", "sql", "wire")),
            Map.entry("connection", List.of("wire", "handshake", "command", "config", "plugin")),
            Map.entry("server", List.of("wire", "connection", "config", "metrics", "plugin")),
            Map.entry("relay", List.of("session", "server", "connection", "wire", "config", "metrics")),
            Map.entry("config", List.of()),
            Map.entry("metrics", List.of())));

    /**
     * Maps each folder of proxy-cli to the other folders of that module that it may import. All of them may import core
     * and plugins, except embedded.
     */
    private static final Map<String, List<String>> PROGRAM = new TreeMap<>(Map.ofEntries(
            Map.entry("embedded", List.of()),
            Map.entry("logging", List.of()),
            Map.entry("otlp", List.of()),
            Map.entry("admin", List.of()),
            Map.entry("pages", List.of()),
            Map.entry("readiness", List.of("pages")),
            Map.entry("rebuild", List.of("pages")),
            Map.entry("rehearsal", List.of()),
            Map.entry("report", List.of()),
            Map.entry("switchover", List.of("report", "readiness")),
            Map.entry("replay", List.of()),
            Map.entry("runtime", List.of("logging", "otlp", "admin", "pages", "readiness", "rehearsal")),
            Map.entry(
                    "demo",
                    List.of("embedded", "runtime", "admin", "pages", "rebuild", "replay", "report", "switchover")),
            Map.entry(
                    "cli",
                    List.of(
                            "embedded",
                            "logging",
                            "runtime",
                            "admin",
                            "pages",
                            "readiness",
                            "rebuild",
                            "report",
                            "replay",
                            "switchover",
                            "demo"))));

    /** The room of which another of its folder may be imported, and may import it: {@code Leg} names a class there. */
    private static final String BOTH_WAYS = "wire.compress";

    /** Maps each room of a folder to the rooms of the same folder that it may import: the table of the document. */
    private static Map<String, Set<String>> rooms = Map.of();

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() throws IOException {
        rooms = documented("| room ", 3);
        // Excludes the tests of this module: they share the packages' root and may import everything.
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("/io/understudy/arch/")
                        && !location.contains("/io/understudy/it/")
                        && !location.contains("/io/understudy/testkit/"))
                .importPackages("io.understudy");
    }

    private static String folder(String of) {
        return ROOT + of + "..";
    }

    @TestFactory
    List<DynamicTest> folders() {
        List<DynamicTest> tests = new ArrayList<>();
        MAY_IMPORT.forEach((folder, others) -> tests.add(DynamicTest.dynamicTest(folder + " imports " + others, () -> {
            List<String> allowed = new ArrayList<>(List.of(folder(folder), folder(BASE)));
            others.forEach(other -> allowed.add(folder(other)));
            noClasses()
                    .that()
                    .resideInAPackage(folder(folder))
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.understudy..")
                            .and(not(resideInAnyPackage(allowed.toArray(String[]::new))))
                            .and(not(PROTOCOL_CONSTANTS)))
                    .as("proxy-core's folder '" + folder + "' imports of the project only " + others)
                    .allowEmptyShould(true)
                    .check(classes);
        })));
        return tests;
    }

    @TestFactory
    List<DynamicTest> roomsImports() {
        List<DynamicTest> tests = new ArrayList<>();
        rooms.forEach((room, others) -> tests.add(DynamicTest.dynamicTest(room + " imports " + others, () -> {
            String[] forbidden = rooms.keySet().stream()
                    .filter(other -> !other.equals(room) && !others.contains(other) && inOneFolder(other, room))
                    .map(other -> ROOT + other)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + room)
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(forbidden))
                    .check(classes);
        })));
        return tests;
    }

    private static boolean inOneFolder(String one, String other) {
        return folderOf(one).equals(folderOf(other));
    }

    /** Returns the folder of a package, both without the root; a plugin is a folder. */
    private static String folderOf(String room) {
        String[] parts = room.split("\\.");
        return parts[0].equals("plugins") && parts.length > 1 ? parts[0] + "." + parts[1] : parts[0];
    }

    /** A room that is missing from the table has no rule. A folder of one package has no rooms. */
    @Test
    void everyRoomIsInTheTable() {
        Map<String, Set<String>> found = new TreeMap<>();
        for (JavaClass type : classes) {
            if (type.getPackageName().startsWith(ROOT)) {
                String room = type.getPackageName().substring(ROOT.length());
                found.computeIfAbsent(folderOf(room), folder -> new TreeSet<>()).add(room);
            }
        }
        assertThat(rooms.keySet())
                .isEqualTo(found.values().stream()
                        .filter(folder -> folder.size() > 1)
                        .flatMap(Set::stream)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void roomsHaveNoCycles() {
        Set<String> left = new TreeSet<>(rooms.keySet());
        boolean found = true;
        while (found) {
            found = left.removeIf(room -> rooms.getOrDefault(room, Set.of()).stream()
                    .noneMatch(other -> left.contains(other) && !other.equals(BOTH_WAYS)));
        }
        assertThat(left).as("rooms that import each other").isEmpty();
    }

    /** Each row holds one folder, or several folders with the same imports: {@code | `a`, `b` | `c`, `d` |}. */
    @Test
    void theDocumentShowsTheSameTables() throws IOException {
        assertThat(documented("| folder of ", 2)).isEqualTo(held(MAY_IMPORT));
        assertThat(documented("| folder of `proxy-cli`", 3)).isEqualTo(held(PROGRAM));
    }

    private static Map<String, Set<String>> held(Map<String, List<String>> table) {
        Map<String, Set<String>> held = new TreeMap<>();
        table.forEach((folder, others) -> held.put(folder, new TreeSet<>(others)));
        return held;
    }

    /** Returns the names in the first column of a table of docs/architecture.md, each with those in another column. */
    private static Map<String, Set<String>> documented(String title, int column) throws IOException {
        Map<String, Set<String>> documented = new TreeMap<>();
        Files.readAllLines(Path.of("../../docs/architecture.md")).stream()
                .dropWhile(line -> !line.startsWith(title))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|"))
                .forEach(cells -> quoted(cells[1].replaceAll("\\(.*\\)", ""))
                        .forEach(folder -> documented.put(folder, quoted(cells[column].replaceAll(";.*", "")))));
        return documented;
    }

    private static Set<String> quoted(String cell) {
        return Pattern.compile("`([a-z.]+)`")
                .matcher(cell)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** No rule would apply to a folder that is missing from the table. */
    @Test
    void everyFolderIsInTheTable() {
        TreeSet<String> unknown = new TreeSet<>();
        for (JavaClass type : classes) {
            String rest = type.getPackageName().equals("io.understudy")
                    ? ""
                    : type.getPackageName().substring(ROOT.length());
            String first = rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest;
            if (!first.isEmpty()
                    && !first.equals("plugins")
                    && !PROGRAM.containsKey(first)
                    && !MAY_IMPORT.containsKey(first)) {
                unknown.add(first);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void noCyclesBetweenFolders() {
        slices().matching("io.understudy.(*)..").should().beFreeOfCycles().check(classes);
    }

    @Test
    void coreImportsNeitherPluginsNorProgram() {
        List<String> outside = new ArrayList<>(List.of("io.understudy.plugins.."));
        PROGRAM.keySet().forEach(folder -> outside.add(folder(folder)));
        String[] packages = outside.toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat(resideInAnyPackage(packages))
                .check(classes);
    }

    @TestFactory
    List<DynamicTest> programFolders() {
        List<DynamicTest> tests = new ArrayList<>();
        PROGRAM.forEach((folder, others) -> tests.add(DynamicTest.dynamicTest(folder + " imports " + others, () -> {
            List<String> forbidden = new ArrayList<>();
            PROGRAM.keySet().stream()
                    .filter(other -> !other.equals(folder) && !others.contains(other))
                    .forEach(other -> forbidden.add(folder(other)));
            noClasses()
                    .that()
                    .resideInAPackage(folder(folder))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(forbidden.toArray(String[]::new)))
                    .allowEmptyShould(true)
                    .check(classes);
        })));
        return tests;
    }

    @Test
    void embeddedServersDoNotImportTheProxy() {
        noClasses()
                .that()
                .resideInAPackage(folder("embedded"))
                .should()
                .dependOnClassesThat(resideInAPackage("io.understudy..").and(not(resideInAPackage(folder("embedded")))))
                .check(classes);
    }

    @Test
    void onlyTheProgramUsesProxyServer() {
        classes()
                .that()
                .haveFullyQualifiedName("io.understudy.ProxyServer")
                .should()
                .onlyHaveDependentClassesThat(resideInAnyPackage(
                        "io.understudy", "io.understudy.runtime..", "io.understudy.demo..", "io.understudy.cli.."))
                .check(classes);
    }

    @Test
    void pluginsImportOnlyTheirApi() {
        noClasses()
                .that()
                .resideInAPackage("io.understudy.plugins..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.understudy..")
                        .and(not(resideInAnyPackage(
                                        "io.understudy.base..",
                                        "io.understudy.plugin..",
                                        "io.understudy.sql..",
                                        "io.understudy.rules..",
                                        "io.understudy.plugins.."))
                                .and(not(PROTOCOL_CONSTANTS))))
                .check(classes);
    }

    @Test
    void pluginsDoNotImportEachOther() {
        slices().assignedFrom(new EachPlugin())
                .should()
                .notDependOnEachOther()
                .allowEmptyShould(true)
                .check(classes);
    }

    /** The shared package belongs to no plugin's slice, so the rule on slices does not cover it. */
    @Test
    void theSharedPackageImportsNoPlugin() {
        noClasses()
                .that()
                .resideInAPackage(PLUGINS + SHARED + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.understudy.plugins..").and(not(resideInAPackage(PLUGINS + SHARED + ".."))))
                .allowEmptyShould(true)
                .check(classes);
    }

    /** Only the two ends use sockets; all other code uses the small interface in {@code wire}. */
    @Test
    void onlyTheTwoEndsUseChannels() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        folder("wire"), folder("handshake"), folder("command"), folder("inject"), folder("session"))
                // Compressed framing is below the packets: a pair of handlers in the pipeline, like TLS.
                .and()
                .resideOutsideOfPackage("io.understudy.wire.compress..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.netty.channel.."))
                .check(classes);
    }

    @Test
    void onlyTheCommandLineAndTheLogPrint() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.understudy.cli..", "io.understudy.logging")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(classes);
    }

    /** A name with two meanings sends each reader to the imports. Tests count too. */
    @Test
    void noTwoClassesShareASimpleName() throws IOException {
        Map<String, Set<String>> files = sources();
        assertThat(files).hasSizeGreaterThan(1_000);
        files.values().removeIf(places -> places.size() == 1);
        assertThat(files)
                .as("classes with one simple name: merge them if they are one thing; otherwise rename the one whose"
                        + " name says less of its work, and its test with it")
                .isEmpty();
    }

    /** The walks through the files name them as {@code folder.Class} or {@code Class}. */
    @Test
    void theDocumentNamesClassesThatExist() throws IOException {
        Map<String, Set<String>> files = sources();
        String document = Files.readString(Path.of("../../docs/architecture.md"));
        List<MatchResult> named = Pattern.compile("`((?:[a-z]+\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.\\w+)*`")
                .matcher(document)
                .results()
                .toList();
        assertThat(named)
                .hasSizeGreaterThan(50)
                .allSatisfy(match -> assertThat(files.getOrDefault(match.group(2) + ".java", Set.of()))
                        .as("docs/architecture.md: %s is moved, renamed or gone", match.group())
                        .anyMatch(file -> ("/" + file)
                                .endsWith("/" + match.group(1).replace('.', '/') + match.group(2) + ".java")));
    }

    /** Returns the source files of all modules, tests included, by their names. */
    private static Map<String, Set<String>> sources() throws IOException {
        Map<String, Set<String>> files = new TreeMap<>();
        for (String folder : List.of(
                "proxy-core/src",
                "proxy-plugins/src",
                "proxy-cli/src",
                "src/test/java",
                "src/test/bench",
                "src/test/jmh")) {
            try (Stream<Path> all = Files.walk(Path.of("../..", folder))) {
                all.map(Path::normalize)
                        .filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                        .forEach(
                                file -> files.computeIfAbsent(file.getFileName().toString(), name -> new TreeSet<>())
                                        .add(file.toString()));
            }
        }
        return files;
    }

    private static final class EachPlugin implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (!name.startsWith(PLUGINS)) {
                return SliceIdentifier.ignore();
            }
            String plugin = name.substring(PLUGINS.length());
            int dot = plugin.indexOf('.');
            plugin = dot < 0 ? plugin : plugin.substring(0, dot);
            return plugin.equals(SHARED) ? SliceIdentifier.ignore() : SliceIdentifier.of(plugin);
        }

        @Override
        public String getDescription() {
            return "each plugin";
        }
    }
}
