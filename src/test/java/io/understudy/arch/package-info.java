/** Compares the import table of docs/architecture.md with the compiled classes. */
@NullMarked
package io.understudy.arch;

import org.jspecify.annotations.NullMarked;
