/** The command {@code replay}. */
@NullMarked
package io.understudy.cli.replay;

import org.jspecify.annotations.NullMarked;
