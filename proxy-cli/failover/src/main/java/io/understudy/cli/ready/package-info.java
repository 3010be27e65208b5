/** {@code understudy ready}. */
@NullMarked
package io.understudy.cli.ready;

import org.jspecify.annotations.NullMarked;
