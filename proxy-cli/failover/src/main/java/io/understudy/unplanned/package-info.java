/**
 * An unplanned change of the primary, in steps that may be run again after any failure: what a standby lacks is taken
 * from the proxies' black boxes and applied to it, before it is promoted.
 */
@NullMarked
package io.understudy.unplanned;

import org.jspecify.annotations.NullMarked;
