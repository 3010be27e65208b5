/**
 * From the accepted connection to the authenticated session: one class per phase. Complete packets are relayed,
 * renumbered where the legs differ, and without the capability bits that the proxy does not support. The proxy has no
 * passwords of clients; it passes them through.
 */
@NullMarked
package io.understudy.handshake;

import org.jspecify.annotations.NullMarked;
