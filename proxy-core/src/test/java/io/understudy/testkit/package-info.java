/**
 * Scripted ends of a conversation for unit tests: packets as arrays, legs without sockets, sessions already logged in,
 * and an account of every buffer.
 */
@NullMarked
package io.understudy.testkit;

import org.jspecify.annotations.NullMarked;
