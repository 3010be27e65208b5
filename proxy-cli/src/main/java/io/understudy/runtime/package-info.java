/** The proxy as a process: plugins found, admin endpoint, reload and drain. What {@code run} and the demo share. */
@NullMarked
package io.understudy.runtime;

import org.jspecify.annotations.NullMarked;
