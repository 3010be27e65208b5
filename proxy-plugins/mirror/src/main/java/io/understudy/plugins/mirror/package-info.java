/**
 * Mirrors sampled reads to the standbys, so that their buffer pools are warm when one must take over.
 *
 * <p>The path of a statement: {@link io.understudy.plugins.mirror.MirrorObserver} decides on the session's event loop
 * and makes the one copy; {@link io.understudy.plugins.mirror.playback.StandbyMirror} queues it within bounds; a
 * {@link io.understudy.plugins.mirror.playback.MirrorConnection} sends it and discards the response. Nothing on that
 * path blocks, and a statement that does not fit is dropped and counted.
 */
@NullMarked
package io.understudy.plugins.mirror;

import org.jspecify.annotations.NullMarked;
