/** The live stream of executed statements as events of a slow log. */
@NullMarked
package io.understudy.plugins.querylog.stream;

import org.jspecify.annotations.NullMarked;
