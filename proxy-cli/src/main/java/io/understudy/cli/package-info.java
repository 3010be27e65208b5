/** The command line: the program, and what several commands share. Each command is in a package of its own. */
@NullMarked
package io.understudy.cli;

import org.jspecify.annotations.NullMarked;
