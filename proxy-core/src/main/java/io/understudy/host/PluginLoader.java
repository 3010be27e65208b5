package io.understudy.host;

import io.understudy.plugin.ProxyPlugin;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds plugins on the class path and in the jars of a folder. */
public final class PluginLoader {
    private static final Logger log = LoggerFactory.getLogger(PluginLoader.class);

    private PluginLoader() {}

    /**
     * Returns all plugins by id. A jar that cannot be used is named in the log and left out.
     *
     * @param folder folder of jars; may be absent
     */
    public static Map<String, ProxyPlugin<?>> load(Path folder) {
        Map<String, ProxyPlugin<?>> found = new LinkedHashMap<>();
        addAll(found, PluginLoader.class.getClassLoader(), "class path");
        for (Path jar : jars(folder)) {
            try {
                // Never closed: its classes are used until the process ends.
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()}, PluginLoader.class.getClassLoader());
                addAll(found, loader, jar.toString());
            } catch (MalformedURLException e) {
                log.error("plugin jar {} cannot be opened: {}", jar, e.getMessage());
            }
        }
        return found;
    }

    private static void addAll(Map<String, ProxyPlugin<?>> found, ClassLoader loader, String where) {
        var iterator = ServiceLoader.load(ProxyPlugin.class, loader).iterator();
        while (true) {
            try {
                if (!iterator.hasNext()) {
                    return;
                }
                ProxyPlugin<?> plugin = iterator.next();
                found.putIfAbsent(plugin.id(), plugin);
            } catch (ServiceConfigurationError | LinkageError e) {
                log.error("a plugin in {} cannot be loaded: {}", where, e.getMessage());
            }
        }
    }

    private static List<Path> jars(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return new ArrayList<>(files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList());
        } catch (IOException e) {
            log.error("the plugin folder {} cannot be read: {}", folder, e.getMessage());
            return List.of();
        }
    }
}
