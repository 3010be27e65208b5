/**
 * Measurements of the mirror with real servers, a proxy in a JVM of its own and a load: what it warms, what it takes from the
 * primary path, what a sick standby does to it. Each is a program that benchmarks/ has a script for, and writes its own part of
 * docs/benchmarks.md. Nothing here asserts a time.
 */
@NullMarked
package io.understudy.bench;

import org.jspecify.annotations.NullMarked;
