/** The plugin query-log, its stream and what plays it back, on real servers. */
@NullMarked
package io.understudy.it.querylog;

import org.jspecify.annotations.NullMarked;
