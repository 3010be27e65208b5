package io.understudy.session;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** All sessions of the process, and the limit on their number. Any thread. */
public final class SessionRegistry {
    private final ConcurrentMap<Long, ClientSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();
    private volatile int limit;
    private volatile boolean draining;

    public SessionRegistry(int limit) {
        this.limit = limit;
    }

    /** Why a connection is not admitted. */
    public enum Admission {
        ADMITTED,
        TOO_MANY,
        DRAINING
    }

    /** Takes a place; each {@link Admission#ADMITTED} is to be followed by one {@link #leave}. */
    public Admission admit() {
        if (draining) {
            return Admission.DRAINING;
        }
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            return Admission.TOO_MANY;
        }
        return Admission.ADMITTED;
    }

    public long nextId() {
        return ids.incrementAndGet();
    }

    /**
     * Makes an admitted session one of {@link #all}. One that was admitted before {@link #refuseNew} and comes after whoever
     * drains has gone through them is drained here: of two threads, of which each writes before it reads, one sees the other.
     */
    public void enter(ClientSession session) {
        sessions.put(session.id(), session);
        if (draining) {
            session.execute(session::drain);
        }
    }

    public void leave(ClientSession session) {
        if (sessions.remove(session.id()) != null) {
            count.decrementAndGet();
        }
    }

    /** Connections now, those still logging in included. */
    public int count() {
        return count.get();
    }

    public int limit() {
        return limit;
    }

    public void setLimit(int connections) {
        limit = connections;
    }

    public void refuseNew() {
        draining = true;
    }

    public boolean draining() {
        return draining;
    }

    /** A live view. */
    public Collection<ClientSession> all() {
        return Collections.unmodifiableCollection(sessions.values());
    }
}
