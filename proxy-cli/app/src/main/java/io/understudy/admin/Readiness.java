package io.understudy.admin;

import io.understudy.connection.DescriptorShortage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides whether the proxy should get new connections. Thread-safe. */
@FunctionalInterface
public interface Readiness {

    /**
     * Returns the reasons against new connections, each a sentence for an operator; empty when the proxy is ready.
     * Called on the admin event loop: must not block.
     */
    List<String> reasons();

    /** Returns what an operator should know of though the proxy is ready. Called as {@link #reasons}. */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * Returns what lets the admin endpoint respond when the process is out of file descriptors, or null for nothing.
     */
    default @Nullable DescriptorShortage descriptors() {
        return null;
    }
}
