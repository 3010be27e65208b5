package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Facts about {@code gtid_domain_id} that all sessions share: the accounts that may set it, and the value that a new
 * session has. Thread-safe.
 */
public final class Accounts {
    private static final int MAX_USERS = 10_000;
    /** An account that was refused is probed again after this time: it may have been granted the privilege. */
    private static final long PROBE_NANOS = 60_000_000_000L;

    /** A refusal that no session has met again for this time counts no more. */
    private static final long FORGET_NANOS = 5 * PROBE_NANOS;

    /** @param at of the last refusal, {@code tried} of that or of the last probe */
    private record Refusal(long at, long tried) {}

    private final LongSupplier nanos;
    /**
     * Users of which a session was accepted, and when one of each was last refused or probed. A user may be in both:
     * the server knows accounts by user and host, and roles by session. Each session of such a user proves its own.
     */
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();

    private final Map<String, Refusal> refused = new ConcurrentHashMap<>();

    private volatile FreshDomain fresh = new FreshDomain(DomainIndexes.DEFAULT, false);
    /** The assumption used for sessions opened before the last primary change; null if none. */
    private @Nullable FreshDomain doubted;

    /** Nothing is known yet. */
    public Accounts(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Called when the server has accepted the variable from a session of the user. */
    void proven(String user) {
        if (!accepted.contains(user) && accepted.size() < MAX_USERS) {
            accepted.add(user);
        }
    }

    /** Called when the server has refused the variable to a session of the user for want of a privilege. */
    public void refused(String user) {
        if (refused.size() < MAX_USERS || refused.containsKey(user)) {
            long now = nanos.getAsLong();
            refused.put(user, new Refusal(now, now));
        }
    }

    /** Returns whether some user has been refused in the last minutes. */
    public boolean anyRefused() {
        return refused.keySet().stream().anyMatch(this::hasRefusal);
    }

    private boolean hasRefusal(String user) {
        Refusal last = refused.get(user);
        if (last == null || nanos.getAsLong() - last.at < FORGET_NANOS) {
            return last != null;
        }
        return !refused.remove(user, last);
    }

    /** Returns whether nothing is known of the user's next session, so that it is worth probing before a write. */
    boolean isUnknown(String user) {
        return accepted.contains(user) == hasRefusal(user);
    }

    /** Returns whether the server has refused every session of the user. */
    boolean isRefused(String user) {
        return hasRefusal(user) && !accepted.contains(user);
    }

    /** Returns whether the server has accepted it from a session of the user, and has refused none lately. */
    boolean isProven(String user) {
        return accepted.contains(user) && !hasRefusal(user);
    }

    /**
     * Returns whether to set the variable in a session that is believed to be refused: one session of a user tries
     * again each minute. Each refusal is an error on the server.
     */
    boolean mayTry(String user) {
        Refusal last = refused.get(user);
        if (last == null) {
            return true;
        }
        long now = nanos.getAsLong();
        return now - last.tried >= PROBE_NANOS && refused.replace(user, last, new Refusal(last.at, now));
    }

    /** Returns what is believed of a session that begins now. */
    FreshDomain fresh() {
        return fresh;
    }

    /** Called with each reading of the server's global value. */
    public synchronized void setFreshIndex(int index) {
        fresh.settle(index);
        FreshDomain before = doubted;
        if (before != null) {
            before.settle(index);
            doubted = null;
        }
        fresh = new FreshDomain(index, true);
    }

    /** Called when the primary is another server, or perhaps: until the next reading the value is unknown. */
    public synchronized void forgetFreshIndex() {
        if (fresh.read) {
            fresh.doubt();
            doubted = fresh;
            fresh = new FreshDomain(DomainIndexes.DEFAULT, false);
        }
    }

    /**
     * Initial gtid_domain_id assumed for sessions that log in between two readings of the primary's global value. The
     * second reading shows whether that was right. Thread-safe.
     */
    static final class FreshDomain {
        /** Whether it rests on a reading, not only on the configuration. */
        final boolean read;

        private volatile int index;
        private volatile boolean sure;

        /** @param read whether the first of the two readings showed the index */
        FreshDomain(int index, boolean read) {
            this.index = index;
            this.read = read;
            sure = read;
        }

        /** Returns the index of the domain; FOREIGN for one that no rule has, or one of two. */
        int index() {
            return index;
        }

        /** Returns whether it is believed of this primary. */
        boolean sure() {
            return sure;
        }

        /** Called when the primary may have been replaced. */
        void doubt() {
            sure = false;
        }

        /** Called with the second reading. If both differ, a session may have begun before or after the change. */
        void settle(int second) {
            index = read && index != second ? DomainIndexes.FOREIGN : second;
            sure = true;
        }
    }
}
