package io.understudy.host;

import io.understudy.plugin.ProxyPlugin;
import java.lang.reflect.InvocationTargetException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The installed plugins. Of each, the instance that was found is started first; each later start gets a new one. */
final class PluginInstances {
    private final Map<String, ProxyPlugin<?>> found;
    private final Set<String> used = new HashSet<>();

    PluginInstances(Map<String, ProxyPlugin<?>> found) {
        this.found = found;
    }

    /**
     * Returns an instance that has not been started.
     *
     * @throws PluginStartException if there is none
     */
    ProxyPlugin<?> unstarted(String id) throws PluginStartException {
        ProxyPlugin<?> first = found.get(id);
        if (first == null) {
            throw new PluginStartException(id, "no such plugin is installed", null);
        }
        if (used.add(id)) {
            return first;
        }
        try {
            return first.getClass().getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw new PluginStartException(id, "its constructor failed: " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new PluginStartException(
                    id, "it has run before, and a new instance cannot be created (" + e + "); restart the proxy", e);
        }
    }
}
