/**
 * Implements {@code understudy defragment}: rebuilds tables of a read-only standby one after the other, outside its
 * binary log, at the pace that replication allows. {@link io.understudy.rebuild.Defragmentation} runs the steps.
 * {@link io.understudy.rebuild.ServerChecks} and {@link io.understudy.rebuild.TableChecks} refuse what must not be
 * rebuilt. {@link io.understudy.rebuild.Bounds} decides when to wait and when to stop.
 */
@NullMarked
package io.understudy.rebuild;

import org.jspecify.annotations.NullMarked;
