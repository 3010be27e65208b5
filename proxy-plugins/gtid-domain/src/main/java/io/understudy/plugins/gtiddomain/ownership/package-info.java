/**
 * The guard: which domain may write which table. It keeps one invariant: <b>dependent work is never unapplied in two
 * domains at once</b>, since replicas apply domains in any order.
 *
 * <ul>
 *   <li><i>claim</i>: a family's writes in one domain that are in flight, or that some standby has not applied yet
 *       ({@code Claim}); that domain is then an <i>owner</i> of the family. A family without an owner is <i>free</i>.
 *   <li><i>home</i>: the domain of a family's last write ({@code TableEntry}). No decision asks which one it is; a
 *       change of it counts as a handover.
 *   <li><i>handover</i>: a write that moves its family's home ({@code Handovers}).
 *   <li><i>pending write</i>: a write from before it is sent until its transaction has ended ({@code PendingWrite}). It
 *       is <i>announced</i> until all standbys have it, too.
 *   <li><i>bound</i>: a GTID that no ended write of a claim exceeds.
 *   <li><i>orphan</i>: a pending write whose session is gone while the server may still execute it ({@code Orphans}).
 *   <li><i>conflict</i>: a table is written, or nearly written, from two domains ({@code Conflict}).
 * </ul>
 *
 * <p>A family with one owner is written there, whatever the rules say; with several, or one that is no rule's, in the
 * default domain, which is a conflict. So steered writes move a family to a rule's domain through freedom only. It gets
 * a claim in a further domain by writers whom nobody steers (a client that sets the domain, another proxy, a refused
 * SET), and keeps the bound of each claim: a standby that goes back makes that domain the owner again.
 *
 * <p>Why a handover is safe: a write is announced before it is sent and ends with its transaction's response, or when
 * its lost session's server thread has ended. The primary's position that is queried after that includes the write,
 * whatever the response was: OK with or without a GTID, an error, rows. So that position bounds the write's GTID. A
 * write that ends while the position is queried gets its bound from the next query. A table is free only when no write
 * is in flight, every ended write has a bound, and every standby has reached the bounds; no applier can then order an
 * old write behind a new one. Free tables of one statement are granted and marked as owned in one step, under the
 * monitor of {@code TableOwnership}. What was not announced (before the start, by other writers) is known from
 * {@code Inheritance}, {@code EarlierStatements} and {@code LoggedWrites}; the binary log has the GTID itself.
 *
 * <p>The GTID in the OK packet is not used. Errors, rows, procedures and transactions without changes carry none, and
 * need the bound anyway.
 *
 * <p>A standby that does not answer keeps its last position.
 *
 * <p>A busy table: a handover needs a pause between two writes in which the primary and then the standbys respond. A
 * probe at a random moment seldom meets it, so the last write that ends causes one, and the standbys respond when they
 * have applied what the primary has. A table that always has a write in flight causes no probes.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.ownership;

import org.jspecify.annotations.NullMarked;
