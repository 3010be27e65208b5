/**
 * {@code understudy defragment}: rebuilds tables of a read-only standby one after the other, outside its binary log, at
 * the pace that replication allows. {@link io.understudy.rebuild.Defragmentation} has the order of things;
 * {@link io.understudy.rebuild.ServerChecks} and {@link io.understudy.rebuild.TableChecks} say what is refused,
 * {@link io.understudy.rebuild.Bounds} when to wait and when to stop.
 */
@NullMarked
package io.understudy.rebuild;

import org.jspecify.annotations.NullMarked;
