/**
 * What a commit costs, and how much of it is semi-synchronous replication. Observers recognise commits on the sessions'
 * event loops and hand them to one worker, which joins them with their events in the binary log, decides the state of
 * semi-synchronous replication for each, and keeps the tables and figures that {@code /api/commits} shows.
 */
@NullMarked
package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.NullMarked;
