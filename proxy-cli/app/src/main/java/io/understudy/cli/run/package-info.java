/** {@code understudy run}. */
@NullMarked
package io.understudy.cli.run;

import org.jspecify.annotations.NullMarked;
