/**
 * The compressed protocol: frames that carry a stream of packets in any fragments. One decoder and one encoder per
 * connection, below all handlers that process packets; those see the stream as if it had never been compressed.
 */
@NullMarked
package io.understudy.wire.compress;

import org.jspecify.annotations.NullMarked;
