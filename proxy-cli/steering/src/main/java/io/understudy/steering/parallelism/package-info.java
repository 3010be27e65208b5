/**
 * Models the gain of parallel apply on a replica from the commit groups that a primary made: an upper bound for
 * comparing settings, not a forecast. Depends only on the binary log.
 */
@NullMarked
package io.understudy.steering.parallelism;

import org.jspecify.annotations.NullMarked;
