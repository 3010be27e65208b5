/**
 * Loads, starts, reloads and stops plugins, gives them their context, and fans a session's events out to their observers.
 * An observer that throws is retired here.
 */
@NullMarked
package io.understudy.host;

import org.jspecify.annotations.NullMarked;
