package io.understudy.host;

import io.understudy.plugin.PluginContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Instances that plugins share, one of each type, see {@link PluginContext#shared}. One lock covers creation and
 * closing, so that an instance is never created before the previous one of its type is closed. Thread-safe.
 */
public final class SharedInstances {
    private static final Logger log = LoggerFactory.getLogger(SharedInstances.class);

    private record Entry(AutoCloseable instance, HostContext context, Set<HostContext> users) {}

    private final Map<Class<?>, Entry> entries = new HashMap<>();

    /**
     * Returns the instance, from now on also held by {@code user}.
     *
     * @param contexts creates the context of a new instance
     */
    synchronized <T extends AutoCloseable> T get(
            HostContext user, Class<T> type, Supplier<HostContext> contexts, Function<PluginContext, T> create) {
        if (user.closed()) {
            throw new IllegalStateException(
                    user.owner() + " has stopped and cannot use " + type.getName() + "; ask for it at start");
        }
        Entry entry = entries.get(type);
        if (entry == null) {
            entry = made(contexts.get(), create);
            entries.put(type, entry);
        }
        entry.users().add(user);
        return type.cast(entry.instance());
    }

    private static Entry made(HostContext context, Function<PluginContext, ? extends AutoCloseable> create) {
        try {
            return new Entry(create.apply(context), context, Collections.newSetFromMap(new IdentityHashMap<>()));
        } catch (RuntimeException | Error e) {
            context.remove();
            throw e;
        }
    }

    /** Closes the instances that only {@code user} still held. */
    synchronized void release(HostContext user) {
        List<Class<?>> unused = new ArrayList<>();
        entries.forEach((type, entry) -> {
            if (entry.users().remove(user) && entry.users().isEmpty()) {
                unused.add(type);
            }
        });
        for (Class<?> type : unused) {
            Entry entry = entries.remove(type);
            if (entry != null) {
                close(type, entry);
            }
        }
    }

    private static void close(Class<?> type, Entry entry) {
        try {
            entry.instance().close();
        } catch (Exception | LinkageError e) {
            log.error("{}, which plugins shared, failed to close; what it held may stay open", type.getName(), e);
        }
        entry.context().remove();
    }
}
