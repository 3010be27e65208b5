/** Tests the two ends of the relay. */
@NullMarked
package io.understudy.relay;

import org.jspecify.annotations.NullMarked;
