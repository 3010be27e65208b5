/** Acknowledges transactions to the primary as a semi-synchronous replica does, once they are kept. */
@NullMarked
package io.understudy.plugins.blackbox.witness;

import org.jspecify.annotations.NullMarked;
