/**
 * The two Netty ends of a session: pipelines, handlers that translate callbacks and decide nothing, and back-pressure
 * between them.
 */
@NullMarked
package io.understudy.relay;

import org.jspecify.annotations.NullMarked;
