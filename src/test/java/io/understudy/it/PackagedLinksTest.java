package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each link between documents leads to a file of the package, by the assembly's description of it. */
class PackagedLinksTest {
    private static final Pattern FILE =
            Pattern.compile("<source>\\.\\./\\.\\./([^<]+)</source>\\s*<outputDirectory>([^<]+)</outputDirectory>");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("proxy-cli"))) {
            folder = Objects.requireNonNull(folder.getParent());
        }
        return folder;
    }

    @Test
    void noDocumentLinksToWhatThePackageLacks() throws IOException {
        Path root = root();
        String assembly = Files.readString(root.resolve("proxy-cli/app/src/dist/assembly.xml"));
        assertThat(assembly).contains("<directory>../../docs</directory>");
        Set<Path> packaged = new HashSet<>();
        try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            docs.map(root::relativize).forEach(packaged::add);
        }
        Matcher file = FILE.matcher(assembly);
        while (file.find()) {
            Path source = Path.of(file.group(1));
            Path at = Path.of(file.group(2)).resolve(source.getFileName()).normalize();
            assertThat(at).as("a link would have to differ in the package").isEqualTo(source);
            packaged.add(source);
        }
        List<String> broken = new ArrayList<>();
        for (Path document : packaged) {
            if (document.toString().endsWith(".md")) {
                check(root, document, packaged, broken);
            }
        }
        assertThat(packaged).contains(Path.of("README.md"));
        assertThat(broken).isEmpty();
    }

    private static void check(Path root, Path document, Set<Path> packaged, List<String> broken) throws IOException {
        String text = CODE.matcher(Files.readString(root.resolve(document))).replaceAll("");
        Matcher link = LINK.matcher(text);
        while (link.find()) {
            String target = link.group(1);
            if (target.contains("://") || target.startsWith("mailto:")) {
                continue;
            }
            Path path = document.resolveSibling(target).normalize();
            if (!packaged.contains(path)) {
                broken.add(document + " links to " + path);
            }
        }
    }
}
