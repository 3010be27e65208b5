/**
 * Compares two servers: the reads of a log, executed on both in turns, by digest. Results are hashed as they arrive,
 * times are judged by a paired test.
 */
@NullMarked
package io.understudy.replay.compare;

import org.jspecify.annotations.NullMarked;
