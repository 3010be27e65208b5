/** What a command costs on the event loop, without sockets: time and bytes allocated, by JMH. Run by benchmarks/jmh. */
@NullMarked
package io.understudy.jmh;

import org.jspecify.annotations.NullMarked;
