/** One class per packet that the proxy parses or writes. Everything else is forwarded unread. */
@NullMarked
package io.understudy.wire.packet;

import org.jspecify.annotations.NullMarked;
