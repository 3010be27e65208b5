/** {@code switchover}. */
@NullMarked
package io.understudy.cli.switchover;

import org.jspecify.annotations.NullMarked;
