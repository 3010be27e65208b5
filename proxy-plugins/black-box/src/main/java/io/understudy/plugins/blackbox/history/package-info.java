/**
 * The transactions that one primary wrote, and what a server's position means for them. Guarded by the lock of the
 * black box.
 */
@NullMarked
package io.understudy.plugins.blackbox.history;

import org.jspecify.annotations.NullMarked;
