package io.understudy.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The source tree that is tested: its modules and their files. */
public final class Checkout {
    /** The root, seen from the module of these tests. */
    public static final Path ROOT = Path.of("../..");

    private Checkout() {}

    /** Returns the folders of the modules, in the order of the root's {@code pom.xml}, but that of these tests. */
    public static List<String> modules() throws IOException {
        return Pattern.compile("<module>(proxy-.*?)</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** Returns the Java files below a folder of every module, such as {@code src/main/java}. */
    public static List<Path> javaFiles(String folder) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : modules()) {
            found.addAll(javaFiles(ROOT.resolve(module).resolve(folder)));
        }
        return found;
    }

    /** Returns the Java files below a folder, none if there is no such folder. */
    public static List<Path> javaFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    /** Returns the text of all classes of the program. */
    public static String program() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path file : javaFiles("src/main/java")) {
            all.append(Files.readString(file));
        }
        return all.toString();
    }
}
