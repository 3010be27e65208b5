/** {@code understudy defragment}. */
@NullMarked
package io.understudy.cli.defragment;

import org.jspecify.annotations.NullMarked;
