/**
 * The proxy as its users meet it: real drivers and raw sockets on one side, a real server on the other. What a client
 * sees directly and through the proxy is compared, so that these tests hold for whatever server they are run against.
 */
@NullMarked
package io.understudy.it;

import org.jspecify.annotations.NullMarked;
