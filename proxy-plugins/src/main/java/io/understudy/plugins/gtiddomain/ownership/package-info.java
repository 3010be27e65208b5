/**
 * The guard: which domain may write which table.
 *
 * <ul>
 *   <li><i>owner</i> of a table: a domain with writes to it that are in flight, or that some standby has not applied
 *       yet ({@code TableOwnership}). A table without an owner is <i>free</i>.
 *   <li><i>pending write</i>: a write from before it is sent until its transaction has ended ({@code PendingWrite}). It
 *       is <i>announced</i> until all standbys have it, too.
 *   <li><i>handover</i>: the next write of a free table goes to another domain than the last one ({@code Handovers}).
 *   <li><i>orphan</i>: a pending write whose session is gone while the server may still execute it ({@code Orphans}).
 *   <li><i>conflict</i>: a table is written, or nearly written, from two domains ({@code Conflict}).
 * </ul>
 *
 * <p>Why a handover is safe: a write is announced before it is sent and ends with its transaction's response, or when
 * its lost session's server thread has ended. The primary's position that is queried after that includes the write,
 * whatever the response was: OK with or without a GTID, an error, rows. Once every standby has reached that position in
 * the write's domain, no applier can order it behind a later one. The interval of probes does not matter for that, so
 * that a write which waits may cause one at any time. Free tables of one statement are granted and marked as owned in
 * one step under their monitors. What was not announced (before the start, by other writers) is known from
 * {@code Inheritance}, {@code EarlierStatements} and {@code LoggedWrites}.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.ownership;

import org.jspecify.annotations.NullMarked;
