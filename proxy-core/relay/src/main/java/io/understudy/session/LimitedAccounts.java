package io.understudy.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names of accounts with a limit on their queries (MAX_QUERIES_PER_HOUR), against which injected statements would
 * count. Compared by name only: an account with the same name on another host is treated as limited, too. Thread-safe.
 */
public final class LimitedAccounts {
    private static final int MOST = 10_000;

    private final Set<String> met = ConcurrentHashMap.newKeySet();
    private volatile Set<String> told = Set.of();

    /** Sets the names that the monitor account has read. */
    public void tell(Set<String> users) {
        told = Set.copyOf(users);
    }

    /**
     * Adds an account for which the server rejected an injected statement because of its limit; kept until the proxy
     * ends.
     */
    void met(String user) {
        if (met.size() < MOST) {
            met.add(user);
        }
    }

    boolean contains(String user) {
        return told.contains(user) || met.contains(user);
    }
}
