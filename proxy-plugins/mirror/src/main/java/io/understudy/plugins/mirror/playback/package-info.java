/** The queues of a standby, the connections that play them, and its probes. */
@NullMarked
package io.understudy.plugins.mirror.playback;

import org.jspecify.annotations.NullMarked;
