/**
 * Finds out by the binary log what became of statements whose response never came, and keeps it for clients that ask.
 * What the log leaves open is unknown.
 */
@NullMarked
package io.understudy.plugins.blackbox.outcome;

import org.jspecify.annotations.NullMarked;
