/**
 * The black box: retains the binary log's events of each transaction that some standby has not yet applied, together
 * with its session's data. After an unplanned change of the primary it reports which commits are missing, and they can
 * be written back.
 *
 * <ul>
 *   <li><i>survivor</i>: the server that takes the primary's place, or would;
 *   <li><i>missing</i>: not applied by the survivor;
 *   <li><i>answered</i>: the proxy saw its OK on the way to the client;
 *   <li><i>history</i>: the transactions that one primary wrote, from the start of reading its binary log to the change
 *       to another primary;
 *   <li><i>gap</i>: numbers of a history whose events were not retained.
 * </ul>
 */
@NullMarked
package io.understudy.plugins.blackbox;

import org.jspecify.annotations.NullMarked;
