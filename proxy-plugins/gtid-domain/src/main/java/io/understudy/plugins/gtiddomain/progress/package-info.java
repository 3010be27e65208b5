/**
 * The standbys' progress in applying, by domain. It knows nothing of tables.
 *
 * <ul>
 *   <li><i>domain index</i>: a small number for a domain; sets of domains are bit sets of them ({@code DomainIndexes}).
 *   <li><i>position</i>: the last sequence number of each domain on a server ({@code GtidPosition}).
 *   <li><i>applied</i>: every standby's position has the GTID. It can be applied no more, when a standby was restored
 *       ({@code Progress}).
 *   <li><i>probe</i>: one query of the primary's position and of each standby's ({@code StandbyProgress}).
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain.progress;

import org.jspecify.annotations.NullMarked;
