/** The bounded table of digests with their figures. */
@NullMarked
package io.understudy.plugins.querylog.digests;

import org.jspecify.annotations.NullMarked;
