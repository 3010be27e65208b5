/**
 * The two legs of a session with real servers and other people's drivers: TLS, compression, authentication, addresses.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.it.legs;
