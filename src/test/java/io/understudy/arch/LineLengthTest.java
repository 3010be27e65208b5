package io.understudy.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The formatter leaves literals and text blocks as long as they are, and does not read Markdown. */
class LineLengthTest {
    private static final int COLUMNS = 120;
    private static final Path ROOT = Checkout.ROOT;
    private static final List<String> FOLDERS = List.of("src/test/java", "src/test/bench", "src/test/jmh", "compat");
    private static final List<String> DOCUMENTS = List.of("docs", "benchmarks", "compat");

    @Test
    void noJavaLineIsLongerThan120Columns() throws IOException {
        List<Path> sources = files(FOLDERS, ".java");
        sources.addAll(Checkout.javaFiles("src"));
        List<String> tooLong = new ArrayList<>();
        for (Path source : sources) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                if (isTooLong(lines.get(i))) {
                    tooLong.add(ROOT.relativize(source) + ":" + (i + 1));
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(100);
        assertThat(tooLong).isEmpty();
    }

    /** Rows of tables, examples and lines without a place to break are as long as they must be. */
    @Test
    void noLineOfADocumentIsLongerThan120Columns() throws IOException {
        List<Path> documents = files(DOCUMENTS, ".md");
        try (Stream<Path> files = Files.list(ROOT)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        }
        List<String> tooLong = new ArrayList<>();
        for (Path document : documents) {
            boolean example = false;
            List<String> lines = Files.readAllLines(document);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                if (line.startsWith("```")) {
                    example = !example;
                }
                if (!example && !line.startsWith("|") && line.contains(" ") && isTooLong(lines.get(i))) {
                    tooLong.add(ROOT.relativize(document) + ":" + (i + 1));
                }
            }
        }
        assertThat(documents).hasSizeGreaterThan(20);
        assertThat(tooLong).isEmpty();
    }

    private static List<Path> files(List<String> folders, String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(ending)).forEach(found::add);
            }
        }
        return found;
    }

    private static boolean isTooLong(String line) {
        return line.codePointCount(0, line.length()) > COLUMNS;
    }
}
