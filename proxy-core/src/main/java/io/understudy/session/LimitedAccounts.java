package io.understudy.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names of accounts whose queries the server counts and bounds (MAX_QUERIES_PER_HOUR): what the proxy injects would be taken
 * from their allowance. By name alone: an account of the same name on another host is taken for limited too. Any thread.
 */
public final class LimitedAccounts {
    private static final int MOST = 10_000;

    private final Set<String> met = ConcurrentHashMap.newKeySet();
    private volatile Set<String> told = Set.of();

    /** What the monitor account has read. */
    public void tell(Set<String> users) {
        told = Set.copyOf(users);
    }

    /** The server has refused an injected statement of this account's for its limit; kept until the proxy ends. */
    void met(String user) {
        if (met.size() < MOST) {
            met.add(user);
        }
    }

    boolean contains(String user) {
        return told.contains(user) || met.contains(user);
    }
}
