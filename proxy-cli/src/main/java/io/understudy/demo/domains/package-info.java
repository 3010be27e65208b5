/**
 * The experiments of {@code understudy demo domains}: how much a long ALTER holds up a parallel replica with and without a GTID domain
 * of its own, and what a deliberately conflicting load does to a replica with and without the guard. What is a load or a measurement of
 * that subject belongs here; servers come from {@code embedded}.
 */
@NullMarked
package io.understudy.demo.domains;

import org.jspecify.annotations.NullMarked;
