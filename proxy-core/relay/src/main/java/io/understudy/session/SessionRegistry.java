package io.understudy.session;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** All sessions of the process, and the limit on their number. Thread-safe. */
public final class SessionRegistry {
    private final ConcurrentMap<Long, ClientSession> sessions = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();
    private volatile int limit;
    private volatile boolean draining;
    private volatile boolean refusing;

    /** Creates an empty registry with a limit on the number of connections. */
    public SessionRegistry(int limit) {
        this.limit = limit;
    }

    /** The admission of a connection, or the reason for its refusal. */
    public enum Admission {
        ADMITTED,
        TOO_MANY,
        DRAINING
    }

    /** Takes a place. After {@link Admission#ADMITTED}, {@link #leave} must be called once. */
    public Admission admit() {
        if (refusing) {
            return Admission.DRAINING;
        }
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            return Admission.TOO_MANY;
        }
        return Admission.ADMITTED;
    }

    /** Returns a number for a session, unique while the process runs. */
    public long nextId() {
        return ids.incrementAndGet();
    }

    /**
     * Adds an admitted session to {@link #all}. A session admitted before {@link #refuseNew}, but added after the
     * draining thread has walked the sessions, is drained here: each of the two threads writes before it reads, so at
     * least one sees the other.
     */
    public void enter(ClientSession session) {
        sessions.put(session.id(), session);
        if (refusing) {
            session.execute(session::drain);
        }
    }

    /** Gives back the place of a session that has ended. Idempotent. */
    public void leave(ClientSession session) {
        if (sessions.remove(session.id()) != null) {
            count.decrementAndGet();
        }
    }

    /** Returns the number of connections, including those still logging in. */
    public int count() {
        return count.get();
    }

    /** Returns the largest number of connections. */
    public int limit() {
        return limit;
    }

    /** Sets the limit for connections accepted from now on; those above it stay. */
    public void setLimit(int connections) {
        limit = connections;
    }

    /** Refuses connections from now on, for good. */
    public void refuseNew() {
        draining = true;
        refusing = true;
    }

    /** Begins to drain. Connections that were made before are still admitted, until {@link #refuseNew}. */
    public void beginDrain() {
        draining = true;
    }

    /** Returns whether the proxy drains, so that new connections should go elsewhere. */
    public boolean draining() {
        return draining;
    }

    /** Returns a live view. */
    public Collection<ClientSession> all() {
        return Collections.unmodifiableCollection(sessions.values());
    }
}
