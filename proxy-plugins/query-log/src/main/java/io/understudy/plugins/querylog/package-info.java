/**
 * The plugin {@code query-log}: figures for each digest ({@code digests}) and the live slow-log stream
 * ({@code stream}). A session's part is one observer, which adds to atomic counters and, while somebody reads the
 * stream, puts a copy of the statement on bounded queues.
 */
@NullMarked
package io.understudy.plugins.querylog;

import org.jspecify.annotations.NullMarked;
