/** One client connection with both of its legs: state, life cycle, and the registry of all sessions. */
@NullMarked
package io.understudy.session;

import org.jspecify.annotations.NullMarked;
