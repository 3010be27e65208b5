/**
 * Fuzz tests: malformed bytes end only their own session, with a reason, and leak nothing. Inputs are mutations of the
 * corpus in {@code src/test/resources/io/understudy/fuzz}. The corpus itself is played too; inputs that once failed are
 * added to it. {@code -Pfuzz} runs only these tests, for longer.
 */
@NullMarked
package io.understudy.fuzz;

import org.jspecify.annotations.NullMarked;
