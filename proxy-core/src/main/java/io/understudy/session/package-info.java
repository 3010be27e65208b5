/** One client connection, both sides: its state, its life, and the registry of all of them. */
@NullMarked
package io.understudy.session;

import org.jspecify.annotations.NullMarked;
