/** The client of a running proxy's admin endpoint. */
@NullMarked
package io.understudy.remote;

import org.jspecify.annotations.NullMarked;
