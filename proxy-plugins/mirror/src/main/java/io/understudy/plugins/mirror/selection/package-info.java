/** Which statements are mirrored, and how many: rules, rates, leases of tables, pauses. */
@NullMarked
package io.understudy.plugins.mirror.selection;

import org.jspecify.annotations.NullMarked;
