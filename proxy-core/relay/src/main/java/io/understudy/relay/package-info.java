/**
 * The Netty side of a session: pipelines, handlers that translate callbacks and decide nothing, and back-pressure
 * between the legs.
 */
@NullMarked
package io.understudy.relay;

import org.jspecify.annotations.NullMarked;
