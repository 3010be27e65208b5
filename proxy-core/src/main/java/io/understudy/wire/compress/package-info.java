/**
 * The compressed protocol: frames that carry a stream of packets, cut anywhere. One decoder and one encoder per
 * connection, below everything that knows packets; what comes out above looks as if it had never been compressed.
 */
@NullMarked
package io.understudy.wire.compress;

import org.jspecify.annotations.NullMarked;
