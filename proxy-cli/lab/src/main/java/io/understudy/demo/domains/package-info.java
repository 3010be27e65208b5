/**
 * The experiments of {@code understudy demo steering}: the delay that a long ALTER causes on a parallel replica
 * untouched, in two phases and in a GTID domain of its own, what a hot row costs it, and the effect of a deliberately
 * conflicting load on a replica with and without the guard. Loads and measurements of that subject belong here; servers
 * come from {@code embedded}.
 */
@NullMarked
package io.understudy.demo.domains;

import org.jspecify.annotations.NullMarked;
