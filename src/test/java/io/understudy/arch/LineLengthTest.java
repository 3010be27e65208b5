package io.understudy.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The formatter leaves literals and text blocks as long as they are. */
class LineLengthTest {
    private static final int COLUMNS = 120;
    private static final List<String> FOLDERS = List.of(
            "proxy-core/src",
            "proxy-plugins/src",
            "proxy-cli/src",
            "src/test/java",
            "src/test/bench",
            "src/test/jmh",
            "compat");

    @Test
    void noJavaLineIsLongerThan120Columns() throws IOException {
        Path root = Path.of("../..");
        List<Path> sources = new ArrayList<>();
        for (String folder : FOLDERS) {
            try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        List<String> tooLong = new ArrayList<>();
        for (Path source : sources) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.codePointCount(0, line.length()) > COLUMNS) {
                    tooLong.add(root.relativize(source) + ":" + (i + 1));
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(100);
        assertThat(tooLong).isEmpty();
    }
}
