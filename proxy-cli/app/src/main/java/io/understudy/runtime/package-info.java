/**
 * Runs the proxy as a process: finds plugins, starts the admin endpoint, reloads and drains. Used by {@code run} and
 * the demo.
 */
@NullMarked
package io.understudy.runtime;

import org.jspecify.annotations.NullMarked;
