package io.understudy.config;

import io.understudy.config.bind.Document;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Problem;
import io.understudy.config.bind.problem.Suggestions;
import io.understudy.config.bind.yaml.TextFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a configuration: returns it if it is valid as a whole, else throws every problem at once. Stateless. */
public final class ConfigLoader {

    /** A configuration is written by hand; the bound keeps a wrong file name from filling the memory. */
    static final int MAX_BYTES = 1 << 20;

    private ConfigLoader() {}

    /**
     * Reads a file with the process's environment, and what that lacks of {@code understudy.env} beside it. File names
     * in it are relative to its directory; certificates and keys must exist.
     *
     * @param pluginTypes the configuration record of every known plugin, by plugin id
     */
    public static LoadedConfig load(Path file, Map<String, ? extends Class<? extends Record>> pluginTypes)
            throws ConfigException {
        return load(file, pluginTypes, EnvironmentFile.beside(file)::get);
    }

    /** Like {@link #load(Path, Map)}, with a given environment. */
    public static LoadedConfig load(
            Path file,
            Map<String, ? extends Class<? extends Record>> pluginTypes,
            Function<String, @Nullable String> environment)
            throws ConfigException {
        Path absolute = file.toAbsolutePath().normalize();
        String text = read(file);
        Path parent = absolute.getParent();
        return load(text, file.toString(), absolute, parent == null ? absolute : parent, pluginTypes, environment);
    }

    /**
     * Reads a text. File names in it are relative to the working directory; certificates and keys need not exist.
     *
     * @param name the text's name in problems
     */
    public static LoadedConfig load(
            String text,
            String name,
            Map<String, ? extends Class<? extends Record>> pluginTypes,
            Function<String, @Nullable String> environment)
            throws ConfigException {
        return load(text, name, null, Path.of("").toAbsolutePath(), pluginTypes, environment);
    }

    private static LoadedConfig load(
            String text,
            String name,
            @Nullable Path file,
            Path directory,
            Map<String, ? extends Class<? extends Record>> pluginTypes,
            Function<String, @Nullable String> environment)
            throws ConfigException {
        Document document = new Document(text, name, directory, environment);
        UnderstudyConfig config = document.bind(UnderstudyConfig.class);
        Map<String, Record> plugins = bindPlugins(document, pluginTypes);
        if (config != null) {
            document.sections("plugins")
                    .forEach((id, section) -> StandbyNames.check(document, section, config.standbys()));
            logLevels(document, config, pluginTypes.keySet());
        }
        Set<Path> files = new LinkedHashSet<>();
        if (file != null) {
            files.add(file);
            files.addAll(document.files());
            if (config != null) {
                files.addAll(TlsFiles.check(config, document));
            }
        }
        if (config == null || !document.errors().isEmpty()) {
            throw new ConfigException(document.errors(), files);
        }
        return new LoadedConfig(config, plugins, sha(text), document.warnings(), files, document.fromOutside());
    }

    /** Bound separately from the root, so that a mistake elsewhere does not hide one in a plugin's section. */
    private static Map<String, Record> bindPlugins(
            Document document, Map<String, ? extends Class<? extends Record>> pluginTypes) {
        Map<String, Record> plugins = new LinkedHashMap<>();
        for (Map.Entry<String, RawSection> entry : document.sections("plugins").entrySet()) {
            Class<? extends Record> type = pluginTypes.get(entry.getKey());
            if (type == null) {
                document.unknownKey(
                        "plugins", entry.getKey(), "unknown plugin", List.copyOf(new TreeSet<>(pluginTypes.keySet())));
                continue;
            }
            Record bound = entry.getValue().bind(type);
            if (bound != null && entry.getValue().enabled()) {
                plugins.put(entry.getKey(), bound);
            }
        }
        return plugins;
    }

    /** A name that is nobody's would leave the level as it is without a word. */
    private static void logLevels(Document document, UnderstudyConfig config, Set<String> plugins) {
        Set<String> known = new TreeSet<>(plugins);
        known.addAll(LogConfig.PARTS);
        for (String name : config.log().levels().keySet()) {
            if (name.indexOf('.') < 0 && !known.contains(name)) {
                document.error(
                        "log.levels." + name,
                        "'" + name + "' is neither a plugin nor a part of the proxy" + Suggestions.hint(name, known)
                                + "; a package or class is written with its dots");
            }
        }
    }

    private static String read(Path file) throws ConfigException {
        try {
            return TextFile.read(file, MAX_BYTES);
        } catch (TextFile.UnreadableException e) {
            throw new ConfigException(
                    List.of(new Problem(
                            Problem.Severity.ERROR,
                            file.toString(),
                            Position.NONE,
                            "",
                            e.getMessage() + "; give another one with -c",
                            "")),
                    Set.of(file));
        }
    }

    private static String sha(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
