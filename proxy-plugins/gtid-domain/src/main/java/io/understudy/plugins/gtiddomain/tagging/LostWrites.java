package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.SessionContext;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands over the pending writes of a session that has ended, or that goes on without being followed. */
final class LostWrites {
    /** The reason passed to {@link io.understudy.plugin.SessionObserver#onClose} when the session continues unread. */
    static final String UNREAD = "unread";

    private static final Logger log = LoggerFactory.getLogger(LostWrites.class);

    private final SessionContext session;
    private final SharedTagging shared;

    LostWrites(SessionContext session, SharedTagging shared) {
        this.session = session;
        this.shared = shared;
    }

    /**
     * Called when the session has ended: the server may still execute the statement, and may commit.
     *
     * @param unsent a write that was decided about, as of a command that a plugin has refused, or null
     */
    void ended(List<PendingWrite> open, @Nullable PendingWrite unsent) {
        if (unsent != null) {
            open.add(unsent);
        }
        if (!open.isEmpty()) {
            shared.orphans().take(session.serverThreadId(), open);
        }
    }

    /** Called when the session continues unread: see {@link #unfollowed}. */
    void unread(int index, Policy policy, List<PendingWrite> open, @Nullable PendingWrite unsent) {
        unfollowed("a packet that does not fit the protocol", index, policy, open, unsent);
    }

    /**
     * Until the server's thread is gone the session counts as one long statement whose tables are not known, so that no
     * table leaves the default domain for another one than the session's.
     *
     * @param index index of the domain in which it stays
     * @param unsent a write that was decided about, or null
     */
    void unfollowed(String why, int index, Policy policy, List<PendingWrite> open, @Nullable PendingWrite unsent) {
        if (policy.guarded) {
            TableEntry[] unknown = {policy.ownership.unknown()};
            open.add(policy.ownership.force(unknown, index, Conflict.NO_BOUNDARY, Work.CALLS, 0, false));
        }
        ended(open, unsent);
        shared.meters().unfollowed(index);
        long others = shared.unfollowed().mayLog(why);
        if (others >= 0) {
            log.warn(
                    "gtid-domain: the session of {} on server thread {} is no longer followed because of {}; it stays"
                            + " in domain {} and, until it ends, keeps tables from leaving the default domain{}",
                    session.user(),
                    session.serverThreadId(),
                    why,
                    policy.label(index),
                    others == 0 ? "" : " (" + others + " more sessions before, for the same reason)");
        }
    }
}
