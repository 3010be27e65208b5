/** The command line: one class per command, and what several of them share. */
@NullMarked
package io.understudy.cli;

import org.jspecify.annotations.NullMarked;
