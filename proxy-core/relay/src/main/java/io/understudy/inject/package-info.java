/**
 * Adds statements to a session: those of observers and the one SET that tracks GTIDs, at a boundary, in the session's
 * order. No other package adds traffic to a logged-in session.
 */
@NullMarked
package io.understudy.inject;

import org.jspecify.annotations.NullMarked;
