/** A command's dealings with its terminal: output, progress, errors, its own log and signals. */
@NullMarked
package io.understudy.terminal;

import org.jspecify.annotations.NullMarked;
