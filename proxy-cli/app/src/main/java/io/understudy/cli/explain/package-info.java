/** Explains how the configured plugins treat a statement: the work behind {@code understudy explain}. */
@NullMarked
package io.understudy.cli.explain;

import org.jspecify.annotations.NullMarked;
