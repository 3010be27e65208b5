/** The primary and the standbys: connecting sessions, looking after health and roles, and pools for the proxy's own questions. */
@NullMarked
package io.understudy.server;

import org.jspecify.annotations.NullMarked;
