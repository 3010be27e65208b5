/**
 * The bytes of the protocol: packet headers, the scanner that walks them in place, capability and status bits, command
 * codes. Knows nothing of sessions or of what an answer means. {@code wire.packet} holds one class per packet that we
 * parse or write, {@code wire.compress} the compressed framing.
 */
@NullMarked
package io.understudy.wire;

import org.jspecify.annotations.NullMarked;
