/** A planned change of the primary in steps, each of which can be undone until the standby is promoted. */
@NullMarked
package io.understudy.switchover;

import org.jspecify.annotations.NullMarked;
