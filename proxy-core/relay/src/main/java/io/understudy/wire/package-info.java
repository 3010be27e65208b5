/**
 * The bytes of the protocol: packet headers, the scanner that walks them in place, capability and status bits, command
 * codes. Independent of sessions and of the meaning of a response. {@code wire.packet} has one class per packet that
 * the proxy parses or writes, {@code wire.compress} the compressed framing.
 */
@NullMarked
package io.understudy.wire;

import org.jspecify.annotations.NullMarked;
