/** Constants of the protocol that views expose unchanged. */
@NullMarked
package io.understudy.protocol;

import org.jspecify.annotations.NullMarked;
