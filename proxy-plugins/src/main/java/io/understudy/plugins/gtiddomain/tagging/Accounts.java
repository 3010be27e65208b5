package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Facts about {@code gtid_domain_id} that all sessions share: the accounts that may set it, and the value that a new
 * session has. Thread-safe.
 */
public final class Accounts {
    private static final int MAX_USERS = 10_000;

    private final Set<String> users = ConcurrentHashMap.newKeySet();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile int freshIndex = DomainIndexes.DEFAULT;

    /**
     * Called when the server has accepted the variable from a session of the user: it will accept it from the user's
     * other sessions.
     */
    void proven(String user) {
        if (!users.contains(user) && users.size() < MAX_USERS) {
            users.add(user);
            refused.remove(user);
        }
    }

    public void refused(String user) {
        users.remove(user);
        if (refused.size() < MAX_USERS) {
            refused.add(user);
        }
    }

    /** Returns whether the user's privilege is unknown, so that it is worth probing before the first write. */
    boolean isNew(String user) {
        return !users.contains(user) && !refused.contains(user);
    }

    /** Returns whether the server has last refused it to the user. */
    boolean isRefused(String user) {
        return refused.contains(user);
    }

    boolean isProven(String user) {
        return users.contains(user);
    }

    /** Returns the index of the server's global value, with which a new session starts. */
    public int freshIndex() {
        return freshIndex;
    }

    public void setFreshIndex(int index) {
        freshIndex = index;
    }
}
