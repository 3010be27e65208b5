/**
 * Fuzzing: whatever bytes come, only this session ends, with a reason, and keeps nothing. Inputs that are mutations of
 * the corpus in {@code src/test/resources/io/understudy/fuzz}, which is also played as it is: what was once found goes
 * there. {@code -Pfuzz} runs these tests alone, and long.
 */
@NullMarked
package io.understudy.fuzz;

import org.jspecify.annotations.NullMarked;
