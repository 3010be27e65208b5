/**
 * The standbys' progress in applying, by domain. It knows nothing of tables.
 *
 * <ul>
 *   <li><i>domain index</i>: a small number for a domain; sets of domains are bit sets of them ({@code DomainIndexes}).
 *   <li><i>position</i>: the last sequence number of each domain on a server ({@code GtidPosition}).
 *   <li><i>epoch</i>: the time between two probes of the primary's position. A write belongs to the epoch of its
 *       response, and is <i>applied</i> once all standbys have reached the position queried after that epoch
 *       ({@code Progress}).
 *   <li><i>probe</i>: one query of the primary's position and of each standby's ({@code Positions}).
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain.progress;

import org.jspecify.annotations.NullMarked;
