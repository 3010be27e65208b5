/**
 * The data of the dashboard page: figures of the last day, a log of state changes, and the stream of frames that all
 * viewers share. The page itself is a set of resource files.
 */
@NullMarked
package io.understudy.admin.dashboard;

import org.jspecify.annotations.NullMarked;
