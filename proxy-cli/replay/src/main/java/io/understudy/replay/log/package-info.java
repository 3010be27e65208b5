/** Readers of slow logs and general logs. They know nothing of servers. */
@NullMarked
package io.understudy.replay.log;

import org.jspecify.annotations.NullMarked;
