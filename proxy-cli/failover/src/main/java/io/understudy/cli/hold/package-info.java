/** {@code hold} and {@code release}. */
@NullMarked
package io.understudy.cli.hold;

import org.jspecify.annotations.NullMarked;
