/**
 * Steers how standbys apply a session's writes by session variables that any account may set: no table has an owner
 * here, and no statement can end in another order than on the primary.
 *
 * <ul>
 *   <li><i>lever</i>: such a session variable ({@code Lever}).
 *   <li>a lever is <i>on</i> in a session while the proxy has set it there; otherwise the session has its own default.
 * </ul>
 *
 * <p>This package knows nothing of GTID domains: it works without a guard, a dictionary and the monitor account.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.steering;

import org.jspecify.annotations.NullMarked;
