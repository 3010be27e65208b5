/**
 * GTID domains by rule: the domain of a session's next write, the injected statement that sets it, and the guard that
 * keeps dependent writes in one domain. {@code docs/gtid-domains.md} lists the cases in which the guard cannot help.
 *
 * <ul>
 *   <li><i>table family</i>: tables whose writes depend on each other by foreign keys, triggers' bodies or views;
 *       followed under one name ({@code Catalog}). In this package <i>table</i> stands for the whole family.
 *   <li><i>owner</i> of a table: a domain with writes to it that are in flight, or that some standby has not applied
 *       yet ({@code TableOwnership}). A table without an owner is <i>free</i>.
 *   <li><i>handover</i>: the next write of a free table goes to another domain than the last one
 *       ({@code WaitingTables}, {@code HandoverProbes}).
 *   <li><i>epoch</i>: the time between two probes of the primary's position. A write belongs to the epoch of its
 *       response, and is applied once all standbys have reached the position queried after that epoch
 *       ({@code Progress}).
 *   <li><i>domain index</i>: a small number for a domain; sets of domains are bit sets of them ({@code DomainIndexes}).
 *   <li><i>pending write</i>: a write from before it is sent until its transaction has ended ({@code PendingWrite}).
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain;

import org.jspecify.annotations.NullMarked;
