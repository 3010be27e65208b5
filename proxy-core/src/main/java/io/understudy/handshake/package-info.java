/**
 * From accepted connection to authenticated session: one class per phase. Whole packets are relayed here, renumbered where
 * the two legs differ, with the capability bits that the proxy cannot carry taken out. The application's passwords pass
 * through and are not known.
 */
@NullMarked
package io.understudy.handshake;

import org.jspecify.annotations.NullMarked;
