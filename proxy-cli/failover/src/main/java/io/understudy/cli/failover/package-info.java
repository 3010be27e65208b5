/** {@code failover}. */
@NullMarked
package io.understudy.cli.failover;

import org.jspecify.annotations.NullMarked;
