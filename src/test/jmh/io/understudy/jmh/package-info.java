/** Measures a command on the event loop without sockets, with JMH: time and allocated bytes. Run by benchmarks/jmh. */
@NullMarked
package io.understudy.jmh;

import org.jspecify.annotations.NullMarked;
