/**
 * Test doubles for unit tests: packets as arrays, legs without sockets, sessions already logged in, and accounting for
 * every buffer.
 */
@NullMarked
package io.understudy.testkit;

import org.jspecify.annotations.NullMarked;
