package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ServerConnection;

/**
 * The state of one connection to a standby, with what belongs to it. {@link MirrorConnection} makes the moves, each by
 * one compare-and-set, so that a move from a state that another thread has ended does nothing.
 *
 * <pre>
 *  Resting ──wake──▶ Opening ──logged in──▶ Preparing ──read-only──▶ MirrorSender
 *     ▲                 │ failed               │ refused, lost            │ lost
 *     ├──pause over── Pausing ◀────────────────┴──────────────────────────┤
 *     └──────────────────────lacks a privilege────────────────────────────┘
 *
 *  close leads from each of them to Closed, and nothing leads from there.
 * </pre>
 */
sealed interface MirrorLink
        permits MirrorLink.Resting,
                MirrorLink.Pausing,
                MirrorLink.Opening,
                MirrorLink.Preparing,
                MirrorLink.Closed,
                MirrorSender {
    /** No connection and no attempt: idle in its lane, to be opened for the next statement. */
    final class Resting implements MirrorLink {}

    /**
     * After a failed or lost connection.
     *
     * @param timed false if the retry could not be scheduled; the next sweep retries
     */
    record Pausing(boolean timed) implements MirrorLink {}

    /** Connecting and logging in. */
    final class Opening implements MirrorLink {}

    /** Logged in, with the statements in flight that make the session read-only; the deadline is for all of them. */
    record Preparing(ServerConnection connection, StatementDeadline deadline) implements MirrorLink {}

    /** The mirror has stopped. */
    final class Closed implements MirrorLink {}
}
