/**
 * The experiment of {@code understudy demo semi-sync}: the cost of a commit without a replica, with an asynchronous and
 * with a semi-synchronous one at several delays, as reported by the proxy and by the server's counters.
 */
@NullMarked
package io.understudy.demo.semisync;

import org.jspecify.annotations.NullMarked;
