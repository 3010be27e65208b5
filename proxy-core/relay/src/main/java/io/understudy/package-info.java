/** The whole proxy, which {@link io.understudy.ProxyServer} assembles, starts, drains and stops. */
@NullMarked
package io.understudy;

import org.jspecify.annotations.NullMarked;
