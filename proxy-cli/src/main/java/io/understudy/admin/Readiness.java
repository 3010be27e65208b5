package io.understudy.admin;

import java.util.List;

/** Whether the proxy should get new connections. */
@FunctionalInterface
public interface Readiness {

    /**
     * Returns the reasons against new connections, each a sentence for an operator; empty when the proxy is ready.
     * Called on the admin event loop: must not block.
     */
    List<String> reasons();

    /** Called when a client of the admin endpoint found no file descriptor. On the admin endpoint's event loop. */
    default void outOfDescriptors() {}
}
