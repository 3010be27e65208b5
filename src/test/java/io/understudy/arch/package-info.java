/** Holds the imports table of the architecture against the compiled classes. */
@NullMarked
package io.understudy.arch;

import org.jspecify.annotations.NullMarked;
