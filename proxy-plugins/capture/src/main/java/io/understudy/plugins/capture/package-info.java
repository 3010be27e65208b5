/**
 * The plugin {@code capture}: keeps the clients' commands in files. Observers copy, one thread writes; what it has not
 * written yet is bounded, and a capture whose disk is too slow or too full ends.
 */
@NullMarked
package io.understudy.plugins.capture;

import org.jspecify.annotations.NullMarked;
