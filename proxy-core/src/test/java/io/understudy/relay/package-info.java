/** The two ends of the relay, at their edges. */
@NullMarked
package io.understudy.relay;

import org.jspecify.annotations.NullMarked;
