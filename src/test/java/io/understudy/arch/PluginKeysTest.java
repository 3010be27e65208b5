package io.understudy.arch;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.bind.RecordShape;
import io.understudy.config.bind.Shape;
import io.understudy.host.PluginTypes;
import io.understudy.rules.Match;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Each key of each plugin has its sentence in the schema and its place on the plugin's page, and no others have. */
class PluginKeysTest {
    private static final Map<String, String> PAGES = Map.of("gtid-domain", "gtid-domains.md", "mirror", "mirroring.md");

    @Test
    void exactlyTheKeysAreDescribed() throws IOException {
        assertThat(PluginTypes.installed().records()).hasSize(6);
        for (Map.Entry<String, ? extends Class<? extends Record>> plugin :
                PluginTypes.installed().records().entrySet()) {
            List<RecordShape> records = new ArrayList<>();
            collect(RecordShape.of(plugin.getValue()), records);
            String page = Files.readString(Checkout.ROOT
                    .resolve("docs")
                    .resolve(PAGES.getOrDefault(plugin.getKey(), plugin.getKey() + ".md")));
            for (RecordShape record : records) {
                assertThat(described(record))
                        .as("%s.properties", record.type().getName())
                        .containsExactlyElementsOf(new TreeSet<>(record.keys().stream()
                                .map(RecordShape.Key::name)
                                .toList()));
                if (record.type() != Match.class) {
                    record.keys().forEach(key -> assertThat(page).containsPattern("\\b" + key.name() + "\\b"));
                }
            }
        }
    }

    private static void collect(Shape shape, List<RecordShape> into) {
        if (shape instanceof Shape.ListOf list) {
            collect(list.item(), into);
        } else if (shape instanceof RecordShape record) {
            into.add(record);
            record.keys().forEach(key -> collect(key.shape(), into));
        }
    }

    private static TreeSet<String> described(RecordShape record) throws IOException {
        Class<?> type = record.type();
        Class<?> outermost = type.getNestHost();
        String prefix = type == outermost ? "" : type.getSimpleName() + ".";
        Properties file = new Properties();
        try (var in = type.getResourceAsStream(outermost.getSimpleName() + ".properties")) {
            assertThat(in).as("%s.properties", outermost.getName()).isNotNull();
            file.load(in);
        }
        TreeSet<String> keys = new TreeSet<>();
        file.forEach((key, text) -> {
            String name = key.toString();
            if (name.startsWith(prefix) && name.indexOf('.', prefix.length()) < 0) {
                assertThat(text.toString()).matches(".*[.…]");
                keys.add(name.substring(prefix.length()));
            }
        });
        return keys;
    }
}
