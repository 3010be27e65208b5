package io.understudy.plugins.gtiddomain;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What all sessions learn from each other about the variable: who may set it, and what a new session has. Any thread. */
final class Accounts {
    private static final int MAX_USERS = 10_000;

    private final Set<String> users = ConcurrentHashMap.newKeySet();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile int freshSlot = DomainSlots.DEFAULT;

    /** A session of the user has been allowed to set the variable, so that others will be. */
    void proven(String user) {
        if (!users.contains(user) && users.size() < MAX_USERS) {
            users.add(user);
            refused.remove(user);
        }
    }

    void refused(String user) {
        users.remove(user);
        if (refused.size() < MAX_USERS) {
            refused.add(user);
        }
    }

    /** Whether nothing is known of the user yet, so that it is worth asking before there is a write. */
    boolean isNew(String user) {
        return !users.contains(user) && !refused.contains(user);
    }

    boolean isProven(String user) {
        return users.contains(user);
    }

    /** The slot of the server's global value, which a new session starts with. */
    int freshSlot() {
        return freshSlot;
    }

    void setFreshSlot(int slot) {
        freshSlot = slot;
    }
}
