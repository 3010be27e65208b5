/** The command line: the entry point. Each command is in a package of its own. */
@NullMarked
package io.understudy.cli;

import org.jspecify.annotations.NullMarked;
