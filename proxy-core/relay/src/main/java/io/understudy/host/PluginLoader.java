package io.understudy.host;

import io.understudy.plugin.ProxyPlugin;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds plugins on the class path and in the jars of a folder. */
public final class PluginLoader {
    private static final Logger log = LoggerFactory.getLogger(PluginLoader.class);

    private static final String SERVICES = "META-INF/services/" + ProxyPlugin.class.getName();

    /**
     * Loaders by their jars. A section that was bound for one instance of a plugin fits another one only if both have
     * their classes from the same loader. Never closed: the classes are used until the process ends.
     */
    private static final Map<Path, URLClassLoader> OPENED = new ConcurrentHashMap<>();

    private final Map<String, ProxyPlugin<?>> found = new LinkedHashMap<>();
    private final Set<Class<?>> classes = new HashSet<>();
    /** Where the plugin with an id was found. */
    private final Map<String, String> places = new HashMap<>();

    private PluginLoader() {}

    /**
     * Returns all plugins by id. A jar that cannot be used, or whose plugins are there already, is named in the log and
     * left out.
     *
     * @param folder folder of jars; may be absent
     */
    public static Map<String, ProxyPlugin<?>> load(Path folder) {
        PluginLoader loader = new PluginLoader();
        loader.addAll(PluginLoader.class.getClassLoader(), "the class path");
        for (Path jar : jars(folder)) {
            try {
                URLClassLoader own = OPENED.get(jar);
                if (own == null) {
                    own = new URLClassLoader(new URL[] {jar.toUri().toURL()}, PluginLoader.class.getClassLoader());
                    OPENED.put(jar, own);
                }
                if (!loader.addAll(own, jar.toString()) && own.findResource(SERVICES) != null) {
                    log.warn("plugin jar {} adds no plugin; is there another one with the same classes?", jar);
                }
            } catch (MalformedURLException e) {
                log.error("plugin jar {} cannot be opened: {}", jar, e.getMessage());
            }
        }
        return loader.found;
    }

    /**
     * Returns whether there was a plugin that was not found before: a jar's loader finds those of the class path too.
     */
    private boolean addAll(ClassLoader loader, String where) {
        boolean added = false;
        var iterator = ServiceLoader.load(ProxyPlugin.class, loader).iterator();
        while (true) {
            try {
                if (!iterator.hasNext()) {
                    return added;
                }
                ProxyPlugin<?> plugin = iterator.next();
                if (classes.add(plugin.getClass())) {
                    added = true;
                    add(plugin, where);
                }
            } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
                added = true; // what is wrong is said here
                log.error("a plugin in {} cannot be loaded: {}", where, e.toString());
            }
        }
    }

    private void add(ProxyPlugin<?> plugin, String where) {
        String id = plugin.id();
        String first = places.putIfAbsent(id, where);
        if (first == null) {
            found.put(id, plugin);
        } else {
            log.warn("plugin {} in {} is left out: {} has a plugin with that id", id, where, first);
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
