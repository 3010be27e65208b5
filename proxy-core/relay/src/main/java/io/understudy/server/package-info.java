/**
 * The primary and the standbys: connections of sessions, monitoring of health and roles, and pools for the proxy's own
 * queries.
 */
@NullMarked
package io.understudy.server;

import org.jspecify.annotations.NullMarked;
