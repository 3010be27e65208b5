/**
 * The sample application of the demo: a small shop with its data, and workers that use it like an application. Plain
 * JDBC without knowledge of the proxy, so that it runs unchanged with and without it.
 */
@NullMarked
package io.understudy.demo;

import org.jspecify.annotations.NullMarked;
