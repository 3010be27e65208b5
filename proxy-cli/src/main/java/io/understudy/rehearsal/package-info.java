/**
 * What a change of the primary did to the clients: latencies before and after, the time until they were steady, and the
 * errors. Reads figures that the proxy counts anyway, once a second.
 */
@NullMarked
package io.understudy.rehearsal;

import org.jspecify.annotations.NullMarked;
