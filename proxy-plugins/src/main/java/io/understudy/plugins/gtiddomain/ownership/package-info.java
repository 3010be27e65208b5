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
 */
@NullMarked
package io.understudy.plugins.gtiddomain.ownership;

import org.jspecify.annotations.NullMarked;
