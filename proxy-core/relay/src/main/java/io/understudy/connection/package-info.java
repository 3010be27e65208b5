/**
 * Server connections, which the proxy itself opens: login, TLS, commands whose responses are drained without being
 * kept, and the server's binary log as a stream. On event loops that no session uses. Also the choice of the kernel's
 * network interface, which every connection needs.
 */
@NullMarked
package io.understudy.connection;

import org.jspecify.annotations.NullMarked;
