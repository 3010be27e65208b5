/**
 * The experiments of {@code understudy demo domains}: the delay that a long ALTER causes on a parallel replica with and
 * without a GTID domain of its own, and the effect of a deliberately conflicting load on a replica with and without the
 * guard. Loads and measurements of that subject belong here; servers come from {@code embedded}.
 */
@NullMarked
package io.understudy.demo.domains;

import org.jspecify.annotations.NullMarked;
