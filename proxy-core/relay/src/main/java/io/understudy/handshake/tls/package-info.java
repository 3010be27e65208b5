/**
 * Creates TLS contexts from certificates and keys, with native OpenSSL where available, else with the JDK's provider.
 * Depends on files and Netty, on neither the configuration nor the protocol.
 */
@NullMarked
package io.understudy.handshake.tls;

import org.jspecify.annotations.NullMarked;
