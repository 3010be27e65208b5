package io.understudy.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What an image says about its container, from the unpacked file of {@code docker save}. */
final class ImageConfig {
    private ImageConfig() {}

    static Map<?, ?> read(Path parts) throws IOException {
        List<?> manifest = (List<?>) json(parts.resolve("manifest.json"));
        Object config = ((Map<?, ?>) manifest.get(0)).get("Config");
        Map<?, ?> image = (Map<?, ?>) json(parts.resolve(String.valueOf(config)));
        return (Map<?, ?>) Objects.requireNonNull(image.get("config"));
    }

    static String[] command(Map<?, ?> config) {
        List<String> words = new ArrayList<>();
        for (String part : List.of("Entrypoint", "Cmd")) {
            ((List<?>) Objects.requireNonNull(config.get(part))).forEach(word -> words.add(String.valueOf(word)));
        }
        return words.toArray(String[]::new);
    }

    /** YAML reads JSON too. */
    private static Object json(Path file) throws IOException {
        return Objects.requireNonNull(new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file)));
    }
}
