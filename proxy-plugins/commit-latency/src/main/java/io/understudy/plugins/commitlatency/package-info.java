/**
 * Measures the latency of commits and the share of semi-synchronous replication in it. Observers recognise commits on
 * the sessions' event loops and pass them to one worker. It joins them with their events in the binary log, decides the
 * state of semi-synchronous replication for each, and maintains the tables and figures that {@code /api/commits}
 * returns.
 */
@NullMarked
package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.NullMarked;
