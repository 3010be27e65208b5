/**
 * Finds the statements that held up the standbys' appliers, the action that would help, and by how much. Changes
 * nothing.
 *
 * <ul>
 *   <li><i>stall</i>: the time for which a standby could commit nothing because one transaction, the <i>head</i>, was
 *       not applied yet, while others waited behind it ({@code Stalls}).
 *   <li><i>finding</i>: one cause of stalls, with the actions that would help ({@code StallCause}).
 * </ul>
 *
 * <p>Stalls and retries are measured on the standbys, what an action would bring is simulated with {@code parallelism}.
 */
@NullMarked
package io.understudy.steering;

import org.jspecify.annotations.NullMarked;
