/** The command {@code compare}. */
@NullMarked
package io.understudy.cli.compare;

import org.jspecify.annotations.NullMarked;
