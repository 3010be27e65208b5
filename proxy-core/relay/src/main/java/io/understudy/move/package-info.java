/** Moves a logged-in session from its server to another one. */
@NullMarked
package io.understudy.move;

import org.jspecify.annotations.NullMarked;
