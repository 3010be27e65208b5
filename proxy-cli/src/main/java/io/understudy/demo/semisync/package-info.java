/**
 * The experiment of {@code understudy demo semi-sync}: what a commit costs without a replica, with an asynchronous and with a
 * semi-synchronous one at several delays, as the proxy tells it and as the server's own counters do.
 */
@NullMarked
package io.understudy.demo.semisync;

import org.jspecify.annotations.NullMarked;
