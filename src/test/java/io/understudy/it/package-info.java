/**
 * Tests the proxy as users run it: real drivers and raw sockets on one side, a real server on the other. They compare
 * what a client observes directly and through the proxy, so they apply to any server.
 */
@NullMarked
package io.understudy.it;

import org.jspecify.annotations.NullMarked;
