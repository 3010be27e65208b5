/** Options of the commands that read a log or a capture. */
@NullMarked
package io.understudy.replay.option;

import org.jspecify.annotations.NullMarked;
