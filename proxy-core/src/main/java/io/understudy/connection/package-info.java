/**
 * Our own connections as a client: login, TLS, sending commands and draining their answers without keeping them, and the
 * server's binary log as a stream. On event loops that no session uses. Also the choice of the kernel's network interface,
 * which every connection needs.
 */
@NullMarked
package io.understudy.connection;

import org.jspecify.annotations.NullMarked;
