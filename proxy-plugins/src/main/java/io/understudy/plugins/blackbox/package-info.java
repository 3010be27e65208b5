/**
 * The black box: keeps the binary log's events of each transaction that some standby has not yet applied, with what the sessions know of it,
 * so that after an unplanned change of the primary it is known which commits are missing, and they can be brought back.
 *
 * <ul>
 *   <li><i>survivor</i>: the server that goes on in the primary's place, or would;
 *   <li><i>missing</i>: not applied by the survivor;
 *   <li><i>answered</i>: the proxy saw the OK for it on its way to the client;
 *   <li><i>history</i>: what one primary wrote, from the begin of reading its binary log to the change to another primary;
 *   <li><i>gap</i>: numbers of a history whose events were not kept.
 * </ul>
 */
@NullMarked
package io.understudy.plugins.blackbox;

import org.jspecify.annotations.NullMarked;
