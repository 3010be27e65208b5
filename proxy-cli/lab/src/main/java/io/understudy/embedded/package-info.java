/**
 * Runs real MariaDB servers as child processes for the demo and for tests: one server, or a primary and a standby with
 * a delayed network link between them. This package does not depend on the proxy. The server's binaries come from a jar
 * that is on the class path of a source checkout only, never in the distribution.
 */
@NullMarked
package io.understudy.embedded;

import org.jspecify.annotations.NullMarked;
