/** RESET MASTER: notices that a primary's numbers begin anew, and knows what each server had of those before. */
@NullMarked
package io.understudy.plugins.blackbox.reset;

import org.jspecify.annotations.NullMarked;
