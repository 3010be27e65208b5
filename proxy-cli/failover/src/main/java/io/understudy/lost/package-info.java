/** What a running proxy's black box says that a server lacks. */
@NullMarked
package io.understudy.lost;

import org.jspecify.annotations.NullMarked;
