/**
 * Loads, starts, reloads and stops plugins, creates their contexts, and passes a session's events to their observers.
 * An observer that throws is retired here.
 */
@NullMarked
package io.understudy.host;

import org.jspecify.annotations.NullMarked;
