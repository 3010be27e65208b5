/** Values and small tools that every other folder may import, plugins too: sizes, durations, networks, pauses, JSON. */
@NullMarked
package io.understudy.base;

import org.jspecify.annotations.NullMarked;
