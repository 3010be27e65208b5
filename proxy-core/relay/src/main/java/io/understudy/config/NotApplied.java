package io.understudy.config;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects what does not run by a new configuration, one sentence each. Not thread-safe.
 *
 * @param waits what takes effect later, as with a restart
 * @param failed what should have taken effect and did not
 */
public record NotApplied(List<String> waits, List<String> failed) {
    /** Creates one that is empty. */
    public NotApplied() {
        this(new ArrayList<>(), new ArrayList<>());
    }
}
