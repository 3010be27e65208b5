/** The proxy as a whole: assembled, started, drained and stopped by {@link io.understudy.ProxyServer}. */
@NullMarked
package io.understudy;

import org.jspecify.annotations.NullMarked;
