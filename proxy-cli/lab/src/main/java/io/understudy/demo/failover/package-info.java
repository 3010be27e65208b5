/**
 * The experiment of {@code understudy demo failover}: a planned change of the primary under load, then the death of the
 * primary while its standby is cut off, what was lost by it, and the rescue.
 */
@NullMarked
package io.understudy.demo.failover;

import org.jspecify.annotations.NullMarked;
