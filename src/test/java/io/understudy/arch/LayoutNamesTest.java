package io.understudy.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A name in a report's layout that no view has would show as nothing: each is a key, a component or a label in main
 * code.
 */
class LayoutNamesTest {
    private static final Pattern TAG = Pattern.compile("\\{([^{}]+)}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*\\b(?!\\()");
    private static final Pattern KEY = Pattern.compile("\"([A-Za-z_]\\w*)\"");
    private static final Pattern CONSTANT = Pattern.compile("\\b[A-Z][A-Z0-9_]+\\b");
    private static final Pattern RECORD =
            Pattern.compile("\\brecord \\w+(?:<[^>]*>)?\\(([^{;]*?)\\)\\s*(?:\\{|implements)");

    @Test
    void everyNameIsOneOfAView() throws IOException {
        Set<String> known = known();
        List<String> unknown = new ArrayList<>();
        List<Path> layouts = layouts();
        for (Path layout : layouts) {
            for (String name : names(Files.readString(layout))) {
                if (!known.contains(name)) {
                    unknown.add(layout.getFileName() + ": " + name);
                }
            }
        }
        assertThat(layouts).hasSizeGreaterThan(10);
        assertThat(unknown).isEmpty();
        assertThat(names("{?no.such == 'text'}{{ {name:-5d|none}{>part each}{#list 3}{/}"))
                .containsExactlyInAnyOrder("no", "such", "name", "each", "list");
    }

    private static List<Path> layouts() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : Checkout.modules()) {
            Path resources = Checkout.ROOT.resolve(module).resolve("src/main/resources");
            if (Files.isDirectory(resources)) {
                try (Stream<Path> files = Files.walk(resources)) {
                    files.filter(file -> file.toString().matches(".*/(ready|replay|report|steering)/\\w+\\.txt"))
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    /** Returns what the expressions of a template name; not its parts, functions and formats. */
    private static Set<String> names(String template) {
        Set<String> names = new HashSet<>();
        Matcher tag = TAG.matcher(template.replace("{{", ""));
        while (tag.find()) {
            String expression = tag.group(1).replaceAll("'[^']*'", "").replaceFirst("^(?:=\\w+|>\\w+)", "");
            if (!tag.group(1).matches("[?#>=/:].*|:")) {
                expression = expression.replaceFirst("(?<!\\|)[:|](?!\\|).*", "");
            }
            NAME.matcher(expression).results().map(name -> name.group()).forEach(names::add);
        }
        return names;
    }

    private static Set<String> known() throws IOException {
        Set<String> known = new HashSet<>();
        for (Path source : Checkout.javaFiles("src/main/java")) {
            String text = Files.readString(source);
            KEY.matcher(text).results().map(key -> key.group(1)).forEach(known::add);
            // Labels of outcomes.
            CONSTANT.matcher(text)
                    .results()
                    .map(constant -> constant.group().toLowerCase(Locale.ROOT))
                    .forEach(known::add);
            RECORD.matcher(text).results().forEach(record -> {
                for (String component : record.group(1).split(",")) {
                    known.add(
                            component.substring(component.lastIndexOf(' ') + 1).strip());
                }
            });
        }
        return known;
    }
}
