/** The command {@code capture}. */
@NullMarked
package io.understudy.cli.capture;

import org.jspecify.annotations.NullMarked;
