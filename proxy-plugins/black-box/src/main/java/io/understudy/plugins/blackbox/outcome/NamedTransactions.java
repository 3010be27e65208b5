package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last transactions that clients have named by a token, of bounded number: those that are open, and those whose
 * response came. A client that left before its response finds here what the server said. Thread-safe.
 */
public final class NamedTransactions {
    static final int MOST = 10_000;

    private final Map<String, OutcomeRecord> byToken = new LinkedHashMap<>();
    private @Nullable Instant forgotten;

    /** Keeps a record in place of an earlier one of its token. */
    synchronized void put(OutcomeRecord next) {
        byToken.remove(next.token());
        byToken.put(String.valueOf(next.token()), next);
        if (byToken.size() > MOST) {
            OutcomeRecord oldest = byToken.remove(byToken.keySet().iterator().next());
            forgotten = oldest == null ? forgotten : oldest.when();
        }
    }

    /** Forgets the transaction of a session: its statement was lost, and {@link Outcomes} has it. */
    synchronized void lost(String token, long session) {
        OutcomeRecord present = byToken.get(token);
        if (present != null && present.session() == session) {
            byToken.remove(token);
        }
    }

    /** Returns the newest of that name; null if there is none, or it is forgotten. */
    synchronized @Nullable OutcomeRecord find(String token) {
        return byToken.get(token);
    }

    /** Returns the time before which one may be forgotten; null if none is. */
    synchronized @Nullable Instant forgotten() {
        return forgotten;
    }
}
