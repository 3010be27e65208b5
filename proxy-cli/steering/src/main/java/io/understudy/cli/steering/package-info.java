/** The commands {@code understudy report steering} and {@code report parallelism}. */
@NullMarked
package io.understudy.cli.steering;

import org.jspecify.annotations.NullMarked;
