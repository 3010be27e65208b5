package io.understudy.command;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * The server thread ids that sessions had before they moved: a client that kills one of its connections, as drivers do
 * to cancel a statement, names the one it was told at the login. Only for clients of the same user; others take numbers
 * from the server's list of processes, which has the present ones. Thread-safe.
 */
public final class ThreadIds {
    /** A session that has moved: the numbers that it had, and the one it has. */
    private record Moved(String user, String server, Set<Long> before, long now) {}

    /** The number of two sessions. */
    static final long AMBIGUOUS = -1;

    private final BiPredicate<Long, String> sessionOn;
    /** By the session's number. Guarded by this. */
    private final Map<Long, Moved> sessions = new HashMap<>();

    private volatile boolean any;

    /** @param sessionOn whether a session of the proxy has this thread id on the server of that name */
    public ThreadIds(BiPredicate<Long, String> sessionOn) {
        this.sessionOn = sessionOn;
    }

    /** Returns whether any session has moved. Called for each COM_QUERY, so it must cost no more than a read. */
    public boolean any() {
        return any;
    }

    /**
     * Called when a session has moved.
     *
     * @param session the proxy's number of it
     * @param server the name of the server it is on now
     * @param before its thread id on the server that it was on
     */
    public synchronized void register(long session, String user, String server, long before, long now) {
        Moved earlier = sessions.get(session);
        Set<Long> numbers = earlier == null ? new HashSet<>() : new HashSet<>(earlier.before);
        numbers.add(before);
        sessions.put(session, new Moved(user, server, numbers, now));
        any = true;
    }

    /** Called when a session has ended. Idempotent. */
    public synchronized void remove(long session) {
        sessions.remove(session);
        any = !sessions.isEmpty();
    }

    /**
     * Returns the present number of the session that {@code number} means to a client.
     *
     * @param user of that client
     * @param server the name of the server that the client's KILL goes to
     * @return {@code number} itself if it is not known, or {@link #AMBIGUOUS} if it is both an earlier number of one
     *     session and the present or an earlier one of another
     */
    public synchronized long translate(long number, String user, String server) {
        Moved found = null;
        for (Moved moved : sessions.values()) {
            if (moved.before.contains(number) && moved.user.equals(user) && moved.server.equals(server)) {
                if (found != null) {
                    return AMBIGUOUS;
                }
                found = moved;
            }
        }
        if (found == null || found.now == number) {
            return number;
        }
        return sessionOn.test(number, server) ? AMBIGUOUS : found.now;
    }
}
