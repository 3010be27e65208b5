/**
 * The only place where the proxy adds traffic to a session: statements of observers and the one SET that tracks GTIDs, at a
 * boundary, in the session's order.
 */
@NullMarked
package io.understudy.inject;

import org.jspecify.annotations.NullMarked;
