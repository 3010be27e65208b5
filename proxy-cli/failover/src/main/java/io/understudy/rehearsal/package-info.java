/**
 * The effect of a change of the primary on the clients: latencies before and after, the time until they were steady,
 * and the errors. Reads figures that the proxy counts anyway, once a second.
 */
@NullMarked
package io.understudy.rehearsal;

import org.jspecify.annotations.NullMarked;
