/**
 * Tests the two legs of a session with real servers and third-party drivers: TLS, compression, authentication,
 * addresses.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.it.legs;
