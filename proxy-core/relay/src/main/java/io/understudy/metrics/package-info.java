/** Meter names and meters, resolved once and never looked up per command. */
@NullMarked
package io.understudy.metrics;

import org.jspecify.annotations.NullMarked;
