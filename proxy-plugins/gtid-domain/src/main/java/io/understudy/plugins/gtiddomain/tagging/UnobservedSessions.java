package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that began while no rule wanted anything of them: none of their commands is observed. While one is open
 * nothing may be tagged, because it writes unguarded. Thread-safe.
 */
public final class UnobservedSessions {
    private final Supplier<Policy> policies;
    private final SharedTagging shared;
    private final AtomicInteger open = new AtomicInteger();

    public UnobservedSessions(Supplier<Policy> policies, SharedTagging shared) {
        this.policies = policies;
        this.shared = shared;
    }

    /** Returns the number of sessions that write unobserved. */
    public int open() {
        return open.get();
    }

    /**
     * Returns the observer of a session that begins now, which only waits for its end; or null if the session must be
     * observed.
     *
     * @param needless true if no rule needs sessions. Evaluated after counting the session, so that a concurrent reload
     *     sees either the count or the new rules
     */
    public @Nullable SessionObserver begin(SessionContext session, BooleanSupplier needless) {
        open.incrementAndGet();
        if (needless.getAsBoolean()) {
            return new Unobserved(session);
        }
        open.decrementAndGet();
        return null;
    }

    private final class Unobserved implements SessionObserver {
        private final SessionContext session;

        private Unobserved(SessionContext session) {
            this.session = session;
        }

        @Override
        public void onClose(String reason) {
            if (reason.equals(LostWrites.UNREAD)) {
                new LostWrites(session, shared)
                        .unread(shared.accounts().freshIndex(), policies.get(), new ArrayList<>(), null);
            }
            open.decrementAndGet();
        }
    }
}
