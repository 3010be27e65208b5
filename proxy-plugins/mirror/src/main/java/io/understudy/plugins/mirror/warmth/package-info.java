/**
 * Measures how cold a standby is: the pages a mirrored statement reads from disk there, above what it reads on the
 * primary.
 *
 * <p>The path of a figure: {@link io.understudy.plugins.mirror.warmth.ProbePlan} chooses a share of the mirrored
 * SELECTs; the standby counts their page reads ({@link io.understudy.plugins.mirror.warmth.ProbeResult}) before the
 * statement has warmed anything, so that a random sample is an unbiased probe;
 * {@link io.understudy.plugins.mirror.warmth.StandbyWarmth} averages them and subtracts the primary's own misses
 * ({@link io.understudy.plugins.mirror.warmth.Floor}), those of writes apart
 * ({@link io.understudy.plugins.mirror.warmth.WritesApart}). What is not known is NaN and never 0.
 */
@NullMarked
package io.understudy.plugins.mirror.warmth;

import org.jspecify.annotations.NullMarked;
