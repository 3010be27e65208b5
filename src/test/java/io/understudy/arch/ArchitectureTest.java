package io.understudy.arch;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Checks what the modules do not say by themselves: which folder may import which, by the tables of
 * docs/architecture.md and without cycles, and that each class has a name of its own.
 */
class ArchitectureTest {
    private static final String ROOT = "io.understudy.";
    /** Value types, and constants of the protocol that views expose unchanged. Every folder may import them. */
    private static final List<String> BASE = List.of("base", "protocol");

    /** Maps each folder of proxy-core to the folders of the project that it may import. */
    private static final Map<String, List<String>> MAY_IMPORT = new TreeMap<>(Map.ofEntries(
            Map.entry("base", List.of()),
            Map.entry("protocol", List.of()),
            Map.entry("wire", List.of()),
            Map.entry("plugin", List.of("sql")),
            Map.entry("sql", List.of()),
            Map.entry("rules", List.of("sql", "plugin")),
            Map.entry("servers", List.of("sql", "plugin")),
            Map.entry("handshake", List.of("wire")),
            Map.entry("command", List.of("wire", "sql", "plugin")),
            Map.entry("host", List.of("plugin", "server", "connection", "config", "metrics")),
            Map.entry(
                    "move",
                    List.of("connection", "handshake", "command", "config", "servers", "wire", "sql", "plugin")),
            // It assembles a session from the parts in the table, and so imports what these parts work on.
            Map.entry("session", List.of("handshake", "command", "move", "host", "metrics", "plugin", "sql", "wire")),
            Map.entry("connection", List.of("wire", "handshake", "command", "config", "plugin")),
            Map.entry("server", List.of("wire", "connection", "config", "metrics", "plugin", "servers")),
            Map.entry(
                    "relay",
                    List.of(
                            "session",
                            "move",
                            "handshake",
                            "command",
                            "server",
                            "connection",
                            "wire",
                            "config",
                            "metrics",
                            "plugin",
                            "sql")),
            Map.entry("config", List.of()),
            Map.entry("metrics", List.of())));

    /** The room of which another of its folder may be imported, and may import it: {@code Leg} names a class there. */
    private static final String BOTH_WAYS = "wire.compress";

    /** Maps each room of a folder to the rooms of the same folder that it may import: the table of the document. */
    private static Map<String, Set<String>> rooms = Map.of();

    /** The folders whose rooms import only the folder's own package, and so are in no table. */
    private static final List<String> APART = List.of("cli", "demo");

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() throws IOException {
        rooms = documented("| room ", 3);
        // A folder's own package may import "all": each room of the folder.
        rooms.forEach((room, others) -> {
            if (others.remove("all")) {
                rooms.keySet().stream()
                        .filter(each -> each.startsWith(room + "."))
                        .forEach(others::add);
            }
        });
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
            List<String> allowed = new ArrayList<>(List.of(folder(folder)));
            BASE.forEach(base -> allowed.add(folder(base)));
            others.forEach(other -> allowed.add(folder(other)));
            noClasses()
                    .that()
                    .resideInAPackage(folder(folder))
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.understudy..")
                            .and(not(resideInAnyPackage(allowed.toArray(String[]::new)))))
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
                        .filter(folder -> folder.stream().noneMatch(room -> APART.contains(folderOf(room))))
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
        assertThat(documented("| folder of `io.understudy`", 2)).isEqualTo(held(MAY_IMPORT));
    }

    private static Map<String, Set<String>> held(Map<String, List<String>> table) {
        Map<String, Set<String>> held = new TreeMap<>();
        table.forEach((folder, others) -> held.put(folder, new TreeSet<>(others)));
        return held;
    }

    /** Returns the names in the first column of a table of docs/architecture.md, each with those in another column. */
    private static Map<String, Set<String>> documented(String title, int column) throws IOException {
        Map<String, Set<String>> documented = new TreeMap<>();
        Files.readAllLines(Checkout.ROOT.resolve("docs/architecture.md")).stream()
                .dropWhile(line -> !line.startsWith(title))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|"))
                .forEach(cells -> quoted(cells[1].replaceAll("\\(.*\\)", ""))
                        .forEach(folder -> documented.put(folder, quoted(cells[column].replaceAll(";.*", "")))));
        return documented;
    }

    private static Set<String> quoted(String cell) {
        return Pattern.compile("`([a-z./-]+)`")
                .matcher(cell)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** No rule would apply to a folder that is missing from the table. */
    @Test
    void everyFolderOfCoreIsInTheTable() throws IOException {
        Set<String> found = new TreeSet<>();
        for (String module : Checkout.modules()) {
            Path folders = Checkout.ROOT.resolve(module).resolve("src/main/java/io/understudy");
            if (module.startsWith("proxy-core/") && Files.isDirectory(folders)) {
                try (Stream<Path> all = Files.list(folders)) {
                    all.filter(Files::isDirectory)
                            .forEach(folder -> found.add(folder.getFileName().toString()));
                }
            }
        }
        assertThat(found).isEqualTo(MAY_IMPORT.keySet());
    }

    /** A command knows no other command, an experiment no other experiment. */
    @TestFactory
    List<DynamicTest> roomsThatAreApart() {
        return APART.stream()
                .map(folder -> DynamicTest.dynamicTest(
                        folder,
                        () -> slices().matching(ROOT + folder + ".(*)..")
                                .should()
                                .notDependOnEachOther()
                                .check(classes)))
                .toList();
    }

    /** The walls are Maven's: a module sees what its pom names, and what that sees. The document names the same. */
    @Test
    void theDocumentShowsTheModules() throws Exception {
        Map<String, Set<String>> arrows = new TreeMap<>();
        for (String module : Checkout.modules()) {
            arrows.put(module, seenBy(module));
        }
        assertThat(documented("| module ", 3)).isEqualTo(arrows);
    }

    /** Returns the modules of the project that a module is compiled with, by the folder's own name. */
    private static Set<String> seenBy(String module) throws Exception {
        NodeList dependencies = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Checkout.ROOT.resolve(module).resolve("pom.xml").toFile())
                .getElementsByTagName("dependency");
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            if (text(dependency, "groupId").equals("io.understudy")
                    && text(dependency, "scope").isEmpty()) {
                seen.add(text(dependency, "artifactId").substring("understudy-".length()));
            }
        }
        return seen;
    }

    private static String text(Element in, String tag) {
        NodeList found = in.getElementsByTagName(tag);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }

    @Test
    void noCyclesBetweenFolders() {
        slices().matching("io.understudy.(*)..").should().beFreeOfCycles().check(classes);
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
                .resideOutsideOfPackages("io.understudy.cli..", "io.understudy.terminal", "io.understudy.logging")
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
        String document = Files.readString(Checkout.ROOT.resolve("docs/architecture.md"));
        List<MatchResult> named = Pattern.compile("`((?:[a-z]+\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.\\w+)*`")
                .matcher(document)
                .results()
                .toList();
        assertThat(named)
                .hasSizeGreaterThan(40)
                .allSatisfy(match -> assertThat(files.getOrDefault(match.group(2) + ".java", Set.of()))
                        .as("docs/architecture.md: %s is moved, renamed or gone", match.group())
                        .anyMatch(file -> ("/" + file)
                                .endsWith("/" + match.group(1).replace('.', '/') + match.group(2) + ".java")));
    }

    /** Returns the source files of all modules, tests included, by their names. */
    private static Map<String, Set<String>> sources() throws IOException {
        Map<String, Set<String>> files = new TreeMap<>();
        List<Path> all = new ArrayList<>(Checkout.javaFiles("src"));
        for (String folder : List.of("java", "bench", "jmh")) {
            all.addAll(Checkout.javaFiles(Checkout.ROOT.resolve("src/test").resolve(folder)));
        }
        all.stream()
                .map(Path::normalize)
                .filter(file -> !file.endsWith("package-info.java"))
                .forEach(file -> files.computeIfAbsent(file.getFileName().toString(), name -> new TreeSet<>())
                        .add(file.toString()));
        return files;
    }
}
