package io.understudy.admin;

import java.util.List;

/** Whether the proxy should get new connections. */
@FunctionalInterface
public interface Readiness {

    /**
     * Why it should not, each a sentence for an operator; empty when it is ready. Called on the admin event loop, so it
     * must not block: answer from state that somebody else keeps current.
     */
    List<String> reasons();
}
