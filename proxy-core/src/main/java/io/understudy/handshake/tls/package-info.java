/**
 * Certificates and keys made into TLS contexts: the native OpenSSL provider where there is one, the JDK's elsewhere.
 * Knows files and Netty, nothing of the configuration or the protocol.
 */
@NullMarked
package io.understudy.handshake.tls;

import org.jspecify.annotations.NullMarked;
