/** The commands {@code slowlog} and {@code top}, which show what the plugin query-log of a running proxy sees. */
@NullMarked
package io.understudy.cli.slowlog;

import org.jspecify.annotations.NullMarked;
