/**
 * Measures the mirror with real servers, a proxy in its own JVM and a load: what it warms, what it costs the primary
 * path, and what a faulty standby does to it. Each measurement is a program with a script in benchmarks/, and writes
 * its own part of benchmarks/results.md. No measurement asserts a time.
 */
@NullMarked
package io.understudy.bench;

import org.jspecify.annotations.NullMarked;
