/** Capture, replay and comparison on embedded servers. */
@NullMarked
package io.understudy.demo.replay;

import org.jspecify.annotations.NullMarked;
