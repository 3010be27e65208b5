/**
 * What became of statements whose response never came: judged by the binary log, and kept for who asks. Never a guess:
 * what the log leaves open is unknown.
 */
@NullMarked
package io.understudy.plugins.blackbox.outcome;

import org.jspecify.annotations.NullMarked;
