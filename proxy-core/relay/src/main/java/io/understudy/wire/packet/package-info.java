/** One class per packet that the proxy parses or writes. All other packets are forwarded unread. */
@NullMarked
package io.understudy.wire.packet;

import org.jspecify.annotations.NullMarked;
